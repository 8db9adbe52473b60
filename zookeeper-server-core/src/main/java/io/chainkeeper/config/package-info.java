/**
 * What a zoo.cfg says: parsed and checked once, before anything is opened or written. Every mistake that a user can
 * make in it ends as one {@link io.chainkeeper.config.UserMistakeException}.
 */
package io.chainkeeper.config;

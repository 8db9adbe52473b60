/** What a zoo.cfg says about ordering: parsed and checked once, before anything is opened or written. */
package io.chainkeeper.config;

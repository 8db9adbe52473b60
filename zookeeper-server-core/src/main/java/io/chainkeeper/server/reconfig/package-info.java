/**
 * The configured ensemble as replicated data, and its change by {@code reconfig}: the accepting replica plans, the
 * order brings its members into line with the plan, and the request is executed when they are.
 */
package io.chainkeeper.server.reconfig;

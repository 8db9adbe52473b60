/** The programs that the scripts in {@code bin/} start. */
package io.chainkeeper.main;

/**
 * The acceptor log: the one place where what a replica has promised and accepted becomes durable. Two implementations
 * stand behind one interface, a segmented file log (default) and LMDB, and pass the same tests.
 */
package io.chainkeeper.log;

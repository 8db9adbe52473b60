/**
 * What hosts a protocol: feeds it inputs, carries out its effects, and owns the threads between links,
 * acceptor log and application. Names no protocol and no znode.
 */
package io.chainkeeper.replica;

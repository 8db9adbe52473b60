package io.chainkeeper.command;

/**
 * One identity that a client's connection had when the request arrived. Access is checked wherever the request is
 * executed, so the identities travel with it.
 *
 * @param scheme such as {@code digest}; null if the client sent null
 * @param id such as {@code user:hash}; null if the client sent null
 */
public record AuthId(String scheme, String id) {}

package io.chainkeeper.command;

/**
 * What a server's settings say about the rights of its own clients, beside the access lists. Part of what is ordered,
 * so that servers with different settings execute the same. Immutable.
 *
 * @param skipsLists whether access lists are not looked at ({@code skipACL})
 * @param anySaslUserAs an id of scheme sasl whose rights every client with an id of that scheme has ({@code
 *     letAnySaslUserDoX}); null if there is none
 */
public record AccessRules(boolean skipsLists, String anySaslUserAs) {
    /** The rules of a server without such settings. */
    public static final AccessRules ALL_LISTS_HOLD = new AccessRules(false, null);
}

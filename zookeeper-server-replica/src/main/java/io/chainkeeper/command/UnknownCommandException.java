package io.chainkeeper.command;

import io.chainkeeper.ordering.MalformedMessageException;

/** A command of a version or type that this release does not know: another release has ordered it. */
public final class UnknownCommandException extends MalformedMessageException {
    private static final long serialVersionUID = 1L;

    /** @param what what is not known, without naming the proposer */
    UnknownCommandException(String what) {
        super(what);
    }
}

/**
 * Connections for bulk requests and their answers, beside the links.
 */
package io.chainkeeper.transport.bulk;

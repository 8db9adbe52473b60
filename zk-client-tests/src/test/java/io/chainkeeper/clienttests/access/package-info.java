/** Who may talk to servers: Kerberos, links with TLS, with a shared secret, and without either. */
package io.chainkeeper.clienttests.access;

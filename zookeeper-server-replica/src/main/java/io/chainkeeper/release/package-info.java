/** Which release this is, what it may run beside, and which formats of files it reads. */
package io.chainkeeper.release;

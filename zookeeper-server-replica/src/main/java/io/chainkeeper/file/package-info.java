/** How files of the operating system are written past its cache. */
package io.chainkeeper.file;

/** For JUnit 4. */
package io.chainkeeper.test.junit4;

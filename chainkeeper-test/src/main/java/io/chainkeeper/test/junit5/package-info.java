/** For JUnit 5. */
package io.chainkeeper.test.junit5;

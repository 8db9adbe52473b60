/** What every protocol has to fulfil, as tests that the protocols' modules inherit. */
package io.chainkeeper.contract;

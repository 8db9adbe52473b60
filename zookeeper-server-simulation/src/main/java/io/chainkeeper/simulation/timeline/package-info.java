/** A run as a picture: what happened, as JSON and as a page that a browser draws. */
package io.chainkeeper.simulation.timeline;

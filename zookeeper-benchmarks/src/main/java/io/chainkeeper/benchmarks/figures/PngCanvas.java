package io.chainkeeper.benchmarks.figures;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.Shape;
import java.awt.geom.AffineTransform;
import java.awt.geom.Ellipse2D;
import java.awt.geom.Path2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import javax.imageio.ImageIO;

/** A picture of pixels, white where nothing is drawn, with twice as many of them as the chart asks for. */
final class PngCanvas implements Canvas {
    private static final int SCALE = 2;

    private final BufferedImage image;
    private final Graphics2D graphics;

    /**
     * @param width in pixels of the chart
     * @param height in pixels of the chart
     */
    PngCanvas(int width, int height) {
        image = new BufferedImage(SCALE * width, SCALE * height, BufferedImage.TYPE_INT_RGB);
        graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, image.getWidth(), image.getHeight());
        graphics.scale(SCALE, SCALE);
    }

    /** The picture as a file of the format PNG. */
    byte[] file() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ImageIO.write(image, "png", out);
        return out.toByteArray();
    }

    @Override
    public void polyline(List<Place> places, String colour, double width) {
        graphics.setColor(Color.decode(colour));
        graphics.setStroke(new BasicStroke((float) width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND));
        graphics.draw(path(places));
    }

    @Override
    public void marker(Marker marker, Place place, String colour) {
        graphics.setColor(Color.decode(colour));
        graphics.fill(shape(marker, place));
    }

    private static Shape shape(Marker marker, Place place) {
        if (marker == Marker.CIRCLE) {
            return new Ellipse2D.Double(
                    place.x() - Marker.RADIUS, place.y() - Marker.RADIUS, 2 * Marker.RADIUS, 2 * Marker.RADIUS);
        }
        Path2D path = path(marker.corners(place));
        path.closePath();
        return path;
    }

    private static Path2D path(List<Place> places) {
        Path2D path = new Path2D.Double();
        path.moveTo(places.get(0).x(), places.get(0).y());
        places.forEach(place -> path.lineTo(place.x(), place.y()));
        return path;
    }

    @Override
    public void text(Place place, Anchor anchor, int size, String text) {
        graphics.setColor(Color.BLACK);
        graphics.setFont(new Font(Font.SANS_SERIF, Font.PLAIN, size));
        double length = graphics.getFontMetrics().stringWidth(text);
        double start = switch (anchor) {
            case START -> place.x();
            case MIDDLE -> place.x() - length / 2;
            case END -> place.x() - length;
        };
        graphics.drawString(text, (float) start, (float) place.y());
    }

    @Override
    public void textUpwards(Place place, int size, String text) {
        AffineTransform before = graphics.getTransform();
        graphics.translate(place.x(), place.y());
        graphics.rotate(-Math.PI / 2);
        text(new Place(0, 0), Anchor.MIDDLE, size, text);
        graphics.setTransform(before);
    }
}

package io.chainkeeper.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A chart of lines as SVG text, without any library: what a figure of a paper needs and no more.
 *
 * @param title above the chart
 * @param xLabel below the horizontal axis, with unit
 * @param yLabel beside the vertical axis, with unit
 * @param lines at least one, each with at least one point
 */
record LineChart(String title, String xLabel, String yLabel, List<Line> lines) {
    private static final int WIDTH = 720;
    private static final int HEIGHT = 440;
    private static final int LEFT = 80;
    private static final int RIGHT = 20;
    private static final int TOP = 40;
    private static final int BOTTOM = 60;
    private static final int MAX_TICKS = 8;
    private static final int LEGEND_STEP = 18;

    /** Told apart also by readers who do not see all colours: Okabe and Ito's palette. */
    private static final List<String> COLOURS =
            List.of("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000");

    /** One point. */
    record Point(double x, double y) {}

    /**
     * One line.
     *
     * @param name in the legend
     * @param points in the order in which they are joined
     */
    record Line(String name, List<Point> points) {}

    /** @return the chart, a complete document */
    String svg() {
        double maxX = axisEnd(true);
        double maxY = axisEnd(false);
        StringBuilder out = new StringBuilder();
        out.append(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                        + " font-family=\"sans-serif\" font-size=\"12\">%n<rect width=\"100%%\" height=\"100%%\""
                        + " fill=\"white\"/>%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT));
        text(out, WIDTH / 2.0, 22, "middle", title);
        text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 15, "middle", xLabel);
        out.append(String.format(
                Locale.ROOT,
                "<text transform=\"translate(18,%d) rotate(-90)\" text-anchor=\"middle\">%s</text>%n",
                (TOP + HEIGHT - BOTTOM) / 2,
                escaped(yLabel)));
        grid(out, maxX, maxY);
        for (int i = 0; i < lines.size(); i++) {
            line(out, lines.get(i), COLOURS.get(i % COLOURS.size()), i, maxX, maxY);
        }
        return out.append("</svg>\n").toString();
    }

    private void grid(StringBuilder out, double maxX, double maxY) {
        for (double y : ticks(maxY)) {
            double at = placeY(y, maxY);
            out.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
                    LEFT,
                    at,
                    WIDTH - RIGHT,
                    at));
            text(out, LEFT - 6, at + 4, "end", number(y));
        }
        for (double x : ticks(maxX)) {
            text(out, placeX(x, maxX), HEIGHT - BOTTOM + 18, "middle", number(x));
        }
        out.append(String.format(
                Locale.ROOT,
                "<path d=\"M%d %dV%dH%d\" fill=\"none\" stroke=\"black\"/>%n",
                LEFT,
                TOP,
                HEIGHT - BOTTOM,
                WIDTH - RIGHT));
    }

    private static void line(StringBuilder out, Line line, String colour, int index, double maxX, double maxY) {
        List<String> places = new ArrayList<>();
        for (Point point : line.points()) {
            String place = String.format(Locale.ROOT, "%.1f,%.1f", placeX(point.x(), maxX), placeY(point.y(), maxY));
            places.add(place);
            String[] xy = place.split(",");
            out.append("<circle cx=\"" + xy[0] + "\" cy=\"" + xy[1] + "\" r=\"3\" fill=\"" + colour + "\"/>\n");
        }
        out.append("<polyline points=\"" + String.join(" ", places) + "\" fill=\"none\" stroke=\"" + colour
                + "\" stroke-width=\"1.5\"/>\n");
        double y = TOP + 12.0 + index * LEGEND_STEP;
        out.append(String.format(
                Locale.ROOT,
                "<rect x=\"%d\" y=\"%.1f\" width=\"12\" height=\"4\" fill=\"%s\"/>%n",
                LEFT + 12,
                y - 6,
                colour));
        text(out, LEFT + 30, y, "start", line.name());
    }

    /** Both axes begin at 0: a chart that cuts off the bottom makes differences look larger than they are. */
    private double axisEnd(boolean horizontal) {
        double max = lines.stream()
                .flatMap(line -> line.points().stream())
                .mapToDouble(point -> horizontal ? point.x() : point.y())
                .max()
                .orElse(0);
        return max <= 0 ? 1 : max * 1.05;
    }

    private static double placeX(double x, double max) {
        return LEFT + x / max * (WIDTH - LEFT - RIGHT);
    }

    private static double placeY(double y, double max) {
        return HEIGHT - BOTTOM - y / max * (HEIGHT - TOP - BOTTOM);
    }

    /** Multiples of 1, 2 or 5 times a power of ten. */
    static List<Double> ticks(double max) {
        int exponent = (int) Math.floor(Math.log10(max / MAX_TICKS));
        int[] factors = {1, 2, 5, 10};
        int factor = 0;
        while (max / scaled(factors[factor], exponent) > MAX_TICKS) {
            factor++;
        }
        List<Double> ticks = new ArrayList<>();
        for (int i = 0; scaled(i * factors[factor], exponent) <= max; i++) {
            ticks.add(scaled(i * factors[factor], exponent));
        }
        return ticks;
    }

    /** Divides rather than multiplies by a fraction: only that gives the double nearest to the decimal number. */
    private static double scaled(int number, int exponent) {
        double power = Math.pow(10, Math.abs(exponent));
        return exponent < 0 ? number / power : number * power;
    }

    private static String number(double value) {
        return value == Math.rint(value)
                ? String.format(Locale.ROOT, "%,d", (long) value).replace(',', ' ')
                : String.format(Locale.ROOT, "%.3g", value);
    }

    private static void text(StringBuilder out, double x, double y, String anchor, String text) {
        out.append(String.format(
                Locale.ROOT,
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n",
                x,
                y,
                anchor,
                escaped(text)));
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}

package io.chainkeeper.benchmarks.figures;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import io.chainkeeper.benchmarks.figures.LineChart.Line;
import io.chainkeeper.benchmarks.figures.LineChart.Point;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.Test;
import org.w3c.dom.Document;

/** Charts as SVG. */
public final class LineChartTest {
    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    private static LineChart chart() {
        return new LineChart(
                "a < b & c",
                "replicas",
                "operations/s",
                List.of(
                        new Line("chain", List.of(new Point(3, 100), new Point(7, 100))),
                        new Line("zab", List.of(new Point(3, 50), new Point(7, 20)))));
    }

    @Test
    public void linesAndNames_makeAWellFormedDocument() throws Exception {
        String svg = chart().svg();
        Document document = parse(svg);
        assertEquals(
                "chain: its points and the legend",
                3,
                document.getElementsByTagName("circle").getLength());
        assertEquals("zab", 3, document.getElementsByTagName("polygon").getLength());
        assertTrue(svg, svg.contains(">a &lt; b &amp; c</text>"));
        assertTrue(svg, svg.contains(">zab</text>"));
    }

    @Test
    public void protocol_hasTheSameColourWhoeverElseIsDrawn() {
        String zab = "#009e73";
        assertTrue(chart().svg().contains(zab));
        Line alone = new Line("zab", List.of(new Point(3, 50), new Point(7, 20)));
        assertTrue(new LineChart("t", "x", "y", List.of(alone)).svg().contains(zab));
    }

    /** Dark pixels of the axes and texts, and pixels of both lines' colours, on white. */
    @Test
    public void picture_hasWhatTheDocumentHas() throws Exception {
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(chart().png()));
        assertEquals(1440, image.getWidth());
        assertEquals(920, image.getHeight());
        Map<Integer, Integer> colours = new HashMap<>();
        for (int x = 0; x < image.getWidth(); x++) {
            for (int y = 0; y < image.getHeight(); y++) {
                colours.merge(image.getRGB(x, y) & 0xffffff, 1, Integer::sum);
            }
        }
        assertTrue(colours.get(0xffffff) > image.getWidth() * image.getHeight() / 2);
        assertTrue(colours.get(0x0072b2) > 1000);
        assertTrue(colours.get(0x009e73) > 1000);
        assertTrue(colours.get(0x000000) > 1000);
    }

    @Test
    public void allValuesAreZero_chartIsStillDrawn() throws Exception {
        LineChart chart = new LineChart("t", "x", "y", List.of(new Line("l", List.of(new Point(0, 0)))));
        parse(chart.svg());
        assertTrue(chart.png().length > 0);
    }

    @Test
    public void linearAxis_ticksAreRoundNumbersUpToTheEnd() {
        assertEquals(
                List.of(0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0), linear(0, 7.35).ticks());
        assertEquals(
                List.of(0.0, 5000.0, 10_000.0, 15_000.0, 20_000.0),
                linear(0, 24_000).ticks());
        assertEquals(List.of(0.0, 0.02, 0.04, 0.06, 0.08, 0.1), linear(0, 0.11).ticks());
    }

    private static Axis linear(double from, double to) {
        return new Axis(from, to, false);
    }

    @Test
    public void secondsBeforeAFault_axisBeginsBelowZero() {
        Axis axis = Axis.linear(DoubleStream.of(-10, 0, 20));
        assertEquals(0, axis.place(-10), 0);
        assertEquals(List.of(-10.0, -5.0, 0.0, 5.0, 10.0, 15.0, 20.0), axis.ticks());
    }

    @Test
    public void logarithmicAxis_ticksArePowersOfTen() {
        Axis axis = Axis.logarithmic(DoubleStream.of(128, 65_536));
        assertEquals(List.of(100.0, 1_000.0, 10_000.0, 100_000.0), axis.ticks());
        assertEquals(1 / 3.0, axis.place(1_000), 1e-9);
        assertEquals(2, Axis.logarithmic(DoubleStream.of(1_000)).ticks().size());
    }
}

package io.chainkeeper.ordering;

import static org.junit.Assert.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** After each input comes the step, and at the end of a batch the flush; questions are no inputs. */
public final class InputCycleTest {
    private final List<String> calls = new ArrayList<>();

    private final InputCycle.Handlers handlers = (InputCycle.Handlers) Proxy.newProxyInstance(
            InputCycleTest.class.getClassLoader(),
            new Class<?>[] {InputCycle.Handlers.class},
            (proxy, method, arguments) -> {
                calls.add(method.getName());
                return method.getReturnType() == int.class ? 0 : null;
            });

    private static Object anything(Class<?> type) {
        if (type == int.class) {
            return 1;
        }
        return type == long.class ? 1L : null;
    }

    @Test
    public void everyInput_isFollowedByTheStep() throws Exception {
        InputCycle cycle = new InputCycle(handlers);
        for (Method method : OrderingProtocol.class.getMethods()) {
            calls.clear();
            method.invoke(
                    cycle,
                    Arrays.stream(method.getParameterTypes())
                            .map(InputCycleTest::anything)
                            .toArray());
            List<String> expected = new ArrayList<>(List.of(method.getName()));
            if (method.getName().startsWith("on")) {
                expected.add("afterInput");
            }
            if (method.getName().equals("onBatchEnd")) {
                expected.add("flush");
            }
            assertEquals(expected, calls);
        }
    }
}

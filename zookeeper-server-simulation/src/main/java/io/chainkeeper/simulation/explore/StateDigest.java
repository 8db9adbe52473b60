package io.chainkeeper.simulation.explore;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.ordering.ProtocolContext;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;

/**
 * A digest of everything that an object can reach: two objects with the same digest behave alike from here on. All
 * fields count, private ones too, except static and transient ones and a {@link ProtocolContext}, which never changes.
 * Objects reached twice are told from equal copies, so nothing depends on who shares what with whom.
 */
final class StateDigest {
    /** 128 bits: that two different states meet by chance is out of the question. */
    record Value(long high, long low) {}

    private static final long FIRST_MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final long SECOND_MULTIPLIER = 0xD6E8FEB86659FD93L;
    private static final int NULL_MARK = -1;
    private static final int SEEN_MARK = -2;

    private static final ClassValue<Field[]> FIELDS = new ClassValue<>() {
        @Override
        protected Field[] computeValue(Class<?> type) {
            return fieldsOf(type);
        }
    };

    private final Map<Object, Integer> seen = new IdentityHashMap<>();
    private long high = 1;
    private long low = 2;

    private StateDigest() {}

    static Value of(Object root) {
        StateDigest digest = new StateDigest();
        digest.add(root);
        return digest.value();
    }

    /** The digest of a row of numbers. */
    static Value of(int[] numbers) {
        StateDigest digest = new StateDigest();
        for (int number : numbers) {
            digest.mix(number);
        }
        return digest.value();
    }

    private Value value() {
        return new Value(high ^ (high >>> 31), low ^ (low >>> 29));
    }

    private void mix(long number) {
        high = (high ^ number) * FIRST_MULTIPLIER;
        high ^= high >>> 32;
        low = (low + number) * SECOND_MULTIPLIER;
        low = Long.rotateLeft(low, 29) ^ number;
    }

    private void add(Object object) {
        if (object == null) {
            mix(NULL_MARK);
        } else if (!addLeaf(object) && !(object instanceof ProtocolContext)) {
            Integer earlier = seen.putIfAbsent(object, seen.size());
            if (earlier != null) {
                mix(SEEN_MARK);
                mix(earlier);
            } else if (object.getClass().isArray()) {
                addArray(object);
            } else {
                addObject(object);
            }
        }
    }

    private boolean addLeaf(Object object) {
        if (object instanceof ByteSlice slice) {
            mix(slice.length());
            ByteBuffer bytes = slice.asByteBuffer();
            while (bytes.remaining() >= Long.BYTES) {
                mix(bytes.getLong());
            }
            while (bytes.hasRemaining()) {
                mix(bytes.get());
            }
        } else if (object instanceof Enum<?> constant) {
            mix(constant.ordinal());
        } else if (object instanceof String text) {
            mix(text.length());
            text.chars().forEach(this::mix);
        } else if (object instanceof Boolean truth) {
            mix(truth ? 1 : 0);
        } else if (object instanceof Long || object instanceof Integer || object instanceof Byte) {
            mix(((Number) object).longValue());
        } else {
            return false;
        }
        return true;
    }

    private void addArray(Object array) {
        if (array instanceof Object[] objects) {
            mix(objects.length);
            for (Object element : objects) {
                add(element);
            }
        } else if (array instanceof long[] numbers) {
            mix(numbers.length);
            for (long number : numbers) {
                mix(number);
            }
        } else if (array instanceof int[] numbers) {
            mix(numbers.length);
            for (int number : numbers) {
                mix(number);
            }
        } else if (array instanceof boolean[] truths) {
            mix(truths.length);
            for (boolean truth : truths) {
                mix(truth ? 1 : 0);
            }
        } else if (array instanceof byte[] bytes) {
            mix(bytes.length);
            for (byte each : bytes) {
                mix(each);
            }
        } else {
            throw unknown(array);
        }
    }

    private void addObject(Object object) {
        mix(object.getClass().getName().hashCode());
        if (object instanceof SortedMap<?, ?> map) {
            mix(map.size());
            map.forEach((key, value) -> {
                add(key);
                add(value);
            });
        } else if (object instanceof Map<?, ?> map) {
            addUnordered(map.entrySet(), true);
        } else if (object instanceof Set<?> set && !(object instanceof SortedSet<?>)) {
            addUnordered(set, false);
        } else if (object instanceof Collection<?> collection) {
            mix(collection.size());
            collection.forEach(this::add);
        } else if (object instanceof BitSet bits) {
            addArray(bits.toLongArray());
        } else if (object.getClass().getName().startsWith("java.")) {
            throw unknown(object);
        } else {
            addFields(object);
        }
    }

    private void addUnordered(Collection<?> elements, boolean entries) {
        long sumHigh = 0;
        long sumLow = 0;
        for (Object element : elements) {
            StateDigest one = new StateDigest();
            if (entries) {
                Map.Entry<?, ?> entry = (Map.Entry<?, ?>) element;
                one.add(entry.getKey());
                one.add(entry.getValue());
            } else {
                one.add(element);
            }
            sumHigh += one.value().high();
            sumLow += one.value().low();
        }
        mix(elements.size());
        mix(sumHigh);
        mix(sumLow);
    }

    private void addFields(Object object) {
        try {
            for (Field field : FIELDS.get(object.getClass())) {
                Class<?> type = field.getType();
                if (type == long.class || type == int.class) {
                    mix(field.getLong(object));
                } else if (type == boolean.class) {
                    mix(field.getBoolean(object) ? 1 : 0);
                } else {
                    add(field.get(object));
                }
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("a field of " + object.getClass().getName() + " cannot be read", e);
        }
    }

    private static Field[] fieldsOf(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Class<?> each = type; each != null && each != Object.class; each = each.getSuperclass()) {
            for (Field field : each.getDeclaredFields()) {
                int modifiers = field.getModifiers();
                if (!Modifier.isStatic(modifiers) && !Modifier.isTransient(modifiers)) {
                    field.setAccessible(true);
                    fields.add(field);
                }
            }
        }
        return fields.toArray(new Field[0]);
    }

    private static IllegalStateException unknown(Object object) {
        return new IllegalStateException("the state of a replica holds a "
                + object.getClass().getName() + ", which StateDigest does not know how to digest; teach it");
    }

    /** A set of digests, without an object for each. */
    static final class Values {
        private static final int FIRST_CAPACITY = 1 << 16;

        private long[] highs = new long[FIRST_CAPACITY];
        private long[] lows = new long[FIRST_CAPACITY];
        private int size;

        /** Adds a digest; returns false if it was there. */
        boolean add(Value value) {
            if (2 * size >= highs.length) {
                grow();
            }
            return put(value.high() == 0 ? 1 : value.high(), value.low());
        }

        private boolean put(long high, long low) {
            int mask = highs.length - 1;
            int slot = (int) (high ^ (low >>> 7)) & mask;
            while (highs[slot] != 0) {
                if (highs[slot] == high && lows[slot] == low) {
                    return false;
                }
                slot = (slot + 1) & mask;
            }
            highs[slot] = high;
            lows[slot] = low;
            size++;
            return true;
        }

        private void grow() {
            long[] oldHighs = highs;
            long[] oldLows = lows;
            highs = new long[2 * oldHighs.length];
            lows = new long[2 * oldLows.length];
            size = 0;
            for (int i = 0; i < oldHighs.length; i++) {
                if (oldHighs[i] != 0) {
                    put(oldHighs[i], oldLows[i]);
                }
            }
        }

        int size() {
            return size;
        }
    }
}

package io.chainkeeper.simulation.link;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Buffers of the Java heap, which cost less than direct ones where no operating system reads them; counts them. */
final class CountingMemory extends AbstractByteBufAllocator {
    private long usedBytes;

    private final class Counted extends UnpooledHeapByteBuf {
        Counted(int initialCapacity, int maxCapacity) {
            super(CountingMemory.this, initialCapacity, maxCapacity);
        }

        @Override
        protected byte[] allocateArray(int capacity) {
            usedBytes += capacity;
            return super.allocateArray(capacity);
        }

        @Override
        protected void freeArray(byte[] array) {
            usedBytes -= array.length;
            super.freeArray(array);
        }
    }

    /** Bytes of buffers that were not released. */
    long usedBytes() {
        return usedBytes;
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return new Counted(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        return newHeapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return false;
    }
}

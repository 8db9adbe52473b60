package io.chainkeeper.simulation.register;

import io.chainkeeper.ordering.ByteSlice;
import io.chainkeeper.simulation.checker.VersionedRegister;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * What clients of the simulation order: a write to a versioned register.
 *
 * @param key the register
 * @param write new value and expected version
 */
public record RegisterCommand(String key, VersionedRegister.Write write) {
    /** Changes no register: none has this version. */
    static final RegisterCommand NOTHING = new RegisterCommand("", new VersionedRegister.Write("", Integer.MAX_VALUE));

    /** The command as it is ordered. */
    public ByteSlice encode() {
        byte[] keyBytes = key.getBytes(StandardCharsets.UTF_8);
        byte[] valueBytes = write.value().getBytes(StandardCharsets.UTF_8);
        ByteBuffer out = ByteBuffer.allocate(8 + keyBytes.length + valueBytes.length);
        out.putInt(write.expectedVersion());
        out.putInt(keyBytes.length).put(keyBytes).put(valueBytes);
        return ByteSlice.of(out.array());
    }

    /** An encoded command in words. */
    public static String describe(ByteSlice command) {
        return decode(command).toString();
    }

    static RegisterCommand decode(ByteSlice bytes) {
        ByteBuffer in = bytes.asByteBuffer();
        int expectedVersion = in.getInt();
        byte[] keyBytes = new byte[in.getInt()];
        in.get(keyBytes);
        byte[] valueBytes = new byte[in.remaining()];
        in.get(valueBytes);
        return new RegisterCommand(
                new String(keyBytes, StandardCharsets.UTF_8),
                new VersionedRegister.Write(new String(valueBytes, StandardCharsets.UTF_8), expectedVersion));
    }

    @Override
    public String toString() {
        return key + "=" + write;
    }
}

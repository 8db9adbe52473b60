package io.chainkeeper.benchmarks.load;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A client of etcd: its protocol (gRPC, version 3) over one connection of its own, with as many calls in flight as the
 * load asks for. Outcomes are told by the connection's input and output thread, without a further one.
 */
final class EtcdSession extends ClientSession {
    private static final MethodDescriptor<byte[], byte[]> PUT = method("Put");
    private static final MethodDescriptor<byte[], byte[]> RANGE = method("Range");
    private static final long END_SECONDS = 5;

    private final ManagedChannel channel;
    private final boolean linearizable;

    /**
     * Connects with the first call.
     *
     * @param address the server's client address
     * @param linearizable whether reads are, or may be answered from the server's own state
     * @param failures told of anything that goes wrong
     */
    EtcdSession(String address, boolean linearizable, FailureHandler failures) {
        super(address, failures);
        this.linearizable = linearizable;
        this.channel = NettyChannelBuilder.forTarget(address)
                .usePlaintext()
                .directExecutor()
                .build();
    }

    private static MethodDescriptor<byte[], byte[]> method(String name) {
        return MethodDescriptor.<byte[], byte[]>newBuilder()
                .setType(MethodType.UNARY)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("etcdserverpb.KV", name))
                .setRequestMarshaller(EtcdMessages.BYTES)
                .setResponseMarshaller(EtcdMessages.BYTES)
                .build();
    }

    @Override
    void awaitConnected(long seconds) throws IOException {
        CallOptions patient = CallOptions.DEFAULT.withWaitForReady().withDeadlineAfter(seconds, TimeUnit.SECONDS);
        try {
            ClientCalls.blockingUnaryCall(channel, RANGE, patient, EtcdMessages.range("/", linearizable));
        } catch (StatusRuntimeException e) {
            throw new IOException("no " + this + " after " + seconds + " s: " + e.getMessage(), e);
        }
    }

    @Override
    void create(String path, byte[] value, Consumer<String> done) {
        write(path, value, done);
    }

    @Override
    void write(String path, byte[] value, Consumer<String> done) {
        call(PUT, EtcdMessages.put(path, value), path, done);
    }

    @Override
    void read(String path, boolean syncBefore, Consumer<String> done) {
        call(RANGE, EtcdMessages.range(path, linearizable), path, done);
    }

    private void call(MethodDescriptor<byte[], byte[]> method, byte[] request, String path, Consumer<String> done) {
        ClientCalls.asyncUnaryCall(channel.newCall(method, CallOptions.DEFAULT), request, new StreamObserver<>() {
            @Override
            public void onNext(byte[] answer) {
                // Its arrival is all that counts.
            }

            @Override
            public void onError(Throwable failure) {
                done.accept(path + ": " + failure.getMessage());
            }

            @Override
            public void onCompleted() {
                done.accept(null);
            }
        });
    }

    @Override
    void end() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Creates topics, produces, consumes, adds partitions, deletes topics. Work SERVERS DONE_FILE DIRECTORY */
public final class Work {
    private static final int BROKERS = 2;
    private static final int RECORDS = 200;
    private static final Duration POLL = Duration.ofMillis(200);
    private static final long LIMIT_SECONDS = 120;

    private final Path done;
    private final Path working;
    private final String brokers = System.getProperty("brokers");
    private int topics;
    private int produced;
    private int consumed;
    private int widened;
    private int deleted;

    private Work(Path done, Path working) {
        this.done = done;
        this.working = working;
    }

    public static void main(String[] args) throws Exception {
        new Work(Path.of(args[1]), Path.of(args[2], "working")).run();
        System.exit(0);
    }

    private Properties properties(Map<String, Object> more) {
        Properties properties = new Properties();
        properties.put("bootstrap.servers", brokers);
        properties.putAll(more);
        return properties;
    }

    private void run() throws Exception {
        String strings = "org.apache.kafka.common.serialization.String";
        Map<String, Object> producing = Map.of(
                "key.serializer", strings + "Serializer", "value.serializer", strings + "Serializer",
                "acks", "all", "delivery.timeout.ms", "120000", "linger.ms", "5");
        try (Admin admin = Admin.create(properties(Map.of("default.api.timeout.ms", "120000")));
                KafkaProducer<String, String> producer = new KafkaProducer<>(properties(producing))) {
            awaitBrokers(admin);
            Set<String> left = new TreeSet<>();
            while (!Files.exists(done)) {
                String topic = "topic-" + topics;
                await(admin.createTopics(List.of(new NewTopic(topic, 2, (short) 2))).all(), TopicExistsException.class);
                topics++;
                Set<String> sent = produce(producer, topic);
                if (topics % 2 == 0) {
                    await(admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(4))).all(), null);
                    widened++;
                    sent.addAll(produce(producer, topic));
                }
                consume(topic, sent);
                Files.write(working, new byte[0]);
                if (topics % 3 == 0) {
                    await(admin.deleteTopics(List.of(topic)).all(), UnknownTopicOrPartitionException.class);
                    deleted++;
                } else {
                    left.add(topic);
                }
            }
            Set<String> listed = admin.listTopics().names().get(LIMIT_SECONDS, TimeUnit.SECONDS);
            if (!listed.containsAll(left)) {
                left.removeAll(listed);
                throw new IllegalStateException("topics are lost: " + left);
            }
        }
        System.out.printf(
                "2 brokers: %d topics created, %d records produced, %d consumed, partitions added to %d topics, "
                        + "%d topics deleted%n",
                topics, produced, consumed, widened, deleted);
    }

    private static void awaitBrokers(Admin admin) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (admin.describeCluster().nodes().get(LIMIT_SECONDS, TimeUnit.SECONDS).size() < BROKERS) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("not all brokers are there");
            }
            Thread.sleep(200);
        }
    }

    /** @param fine what an answer may say when an earlier try was executed and its answer lost */
    private static void await(Future<?> answer, Class<? extends Throwable> fine) throws Exception {
        try {
            answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (fine == null || !fine.isInstance(e.getCause())) {
                throw e;
            }
        }
    }

    private Set<String> produce(KafkaProducer<String, String> producer, String topic) throws Exception {
        List<Future<RecordMetadata>> answers = new ArrayList<>();
        Set<String> sent = new TreeSet<>();
        for (int i = 0; i < RECORDS; i++) {
            String value = "record-" + produced++;
            sent.add(value);
            answers.add(producer.send(new ProducerRecord<>(topic, value, value)));
        }
        for (Future<RecordMetadata> answer : answers) {
            answer.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        }
        return sent;
    }

    private void consume(String topic, Set<String> sent) {
        String strings = "org.apache.kafka.common.serialization.StringDeserializer";
        Map<String, Object> consuming = Map.of(
                "key.deserializer", strings, "value.deserializer", strings,
                "group.id", "readers-of-" + topic, "auto.offset.reset", "earliest", "metadata.max.age.ms", "1000");
        Set<String> missing = new TreeSet<>(sent);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        try (KafkaConsumer<String, String> consumer = new KafkaConsumer<>(properties(consuming))) {
            consumer.subscribe(List.of(topic));
            while (!missing.isEmpty()) {
                for (ConsumerRecord<String, String> record : consumer.poll(POLL)) {
                    if (!sent.contains(record.value())) {
                        throw new IllegalStateException(topic + " has " + record.value());
                    }
                    if (missing.remove(record.value())) {
                        consumed++;
                    }
                }
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException(topic + " lacks " + missing.size() + " records: " + missing);
                }
            }
        }
    }
}

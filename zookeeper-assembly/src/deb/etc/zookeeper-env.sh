# Read by all scripts. What the environment says goes before.

ZOO_LOG_DIR="${ZOO_LOG_DIR:-/var/log/chainkeeper}"
ZOO_CLASS_ARCHIVE="${ZOO_CLASS_ARCHIVE:-/var/cache/chainkeeper/classes.jsa}"

# The server's heap in MB; without it a quarter of the memory.
#ZK_SERVER_HEAP=2000

# The form of the server's log: text, or json, one object in each line.
#ZOO_LOG_FORMAT=json

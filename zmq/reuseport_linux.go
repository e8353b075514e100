package zmq

const reusePort = 15 // SO_REUSEPORT, which package syscall does not have for all processors

package workload

// OpenVia is Open with a forwarder between the sockets.
var OpenVia = open

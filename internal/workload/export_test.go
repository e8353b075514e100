package workload

// OpenVia is Open with something between the sockets.
var OpenVia = open

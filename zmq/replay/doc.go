// Package replay publishes numbered messages that subscribers can ask for again, so that a
// broken connection, a full queue or a restart of the subscriber loses nothing that the
// publisher still keeps.
//
// A PUB drops messages for a subscriber that is slow or not connected, and tells nobody. A
// [Publisher] numbers its messages, keeps the most recent ones, and answers requests for them. A
// [Subscriber] delivers the messages in order and each once, asks for those that it missed,
// and reports those that are lost for good.
//
//	p, err := replay.NewPublisher(pub, router, replay.PublisherConfig{Topic: "orders"})
//	...
//	seq, err := p.Publish(ctx, payload)
//
//	s, err := replay.NewSubscriber(sub, dealer, replay.SubscriberConfig{Topic: "orders", From: replay.FromOldest, Probe: time.Second})
//	...
//	for m, err := range s.Messages(ctx) {
//		var gap *replay.GapError
//		var restart *replay.RestartError
//		switch {
//		case errors.As(err, &gap): // gap.From to gap.To are lost
//		case errors.As(err, &restart): // a new publisher: discard what is known of the old one
//		case err != nil:
//			return err
//		default:
//			handle(m) // keep m.Seq+1 where replay.FromSeq will find it
//		}
//	}
//
// # On the wire
//
// The format is that of the KV-cache events of vLLM, SGLang and others, whose publishers
// and subscribers may stand on the other side. Numbers are unsigned, have 8 bytes in
// big-endian order, and begin with 0.
//
//	PUB to SUB        [topic][number][payload]
//	DEALER to ROUTER  [empty][number of the first message that is wanted]
//	ROUTER to DEALER  [empty][topic][number][payload], for each message kept, in order
//	                  [empty][empty][FF FF FF FF FF FF FF FF][empty], at the end
//
// A Subscriber also accepts answers without the topic, as older publishers send them.
//
// # What is lost, and what is not
//
// The publisher's memory is the limit: what it no longer keeps is lost, and so is all of it
// when its process ends. If the last message before a silence is lost, the Subscriber does not
// notice until the next one comes, unless Probe is set. It recognizes a new publisher by
// numbers that go back. After its SUB has reconnected, it also asks for the last message that
// it knows, whose content differs if the publisher is new. If the content is the same, it
// cannot tell the two apart. Nothing in the format names a publisher, so if a new one takes
// the place of another while messages or answers of that one are still under way, the
// Subscriber can notice it late, and deliver some messages of the new one as if they followed those of the old
// one. A publisher that waits for a moment before it takes over, or begins with a FirstSeq far
// from the numbers of the old one, prevents that.
//
// For messages that must survive the publisher, use a broker that stores them.
package replay

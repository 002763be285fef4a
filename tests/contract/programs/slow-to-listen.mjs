// Preloaded: a server learns that it listens only long after a program that ends at once has ended.
import net from "node:net";

const { listen } = net.Server.prototype;
net.Server.prototype.listen = function listenLate(path, done) {
  return listen.call(this, path, () => setTimeout(done, 500));
};

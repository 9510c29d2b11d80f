// Preloaded into a measured process where there is no /proc to look it up: tells what the process
// has used when it is asked.
process.on('message', ({ id, kind }) => {
  if (kind !== 'usage') return;
  const { user, system } = process.cpuUsage();
  process.send({ id, result: { cpuUs: user + system, residentBytes: process.memoryUsage.rss() } });
});
// listening for questions must not keep it alive
process.channel?.unref();

// @ts-check
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

/**
 * Preloaded into a gateway: on SIGUSR2 it collects garbage and prints what is left, as `look <number>: heap
 * <bytes> beside <bytes of buffers> handles <count>`.
 */
if (isMainThread) {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  let looks = 0;
  process.on('SIGUSR2', () => {
    collect();
    const { heapUsed, external } = process.memoryUsage();
    const handles = process.getActiveResourcesInfo().length;
    process.stdout.write(
      `look ${++looks}: heap ${heapUsed} beside ${external} handles ${handles}\n`,
    );
  });
}

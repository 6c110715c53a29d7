/**
 * The baseline for webhook deliveries: a loop that uses undici to post to the same receivers as the
 * product. Its bodies are about as large as the product's.
 */
import { Agent, request } from 'undici';

interface LoopOptions {
  urls: string[];
  body: string;
  count: number;
  perEndpoint: number;
}

process.once('message', async ({ urls, body, count, perEndpoint }: LoopOptions) => {
  const dispatcher = new Agent();
  let next = 0;
  const work = async (url: string) => {
    while (next < count) {
      next += 1;
      const headers = { 'content-type': 'application/json', 'webhook-id': `${next}` };
      const response = await request(url, { method: 'POST', headers, body, dispatcher });
      await response.body.dump();
    }
  };
  // The measured time includes opening the connections.
  const startedAt = performance.now();
  await Promise.all(urls.flatMap((url) => Array.from({ length: perEndpoint }, () => work(url))));
  process.send?.(performance.now() - startedAt);
  process.disconnect();
});

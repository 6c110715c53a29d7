/**
 * A process that writes an object of MEGABYTES MB under KEY, OBJECTS times. If COMMIT is set, it
 * commits each object. Without COMMIT, it then waits until a test kills it.
 */
import { once } from 'node:events';
import { openStorage } from '../../../shared/storage/open-storage.js';

const { LOCATION = '', KEY = '', MEGABYTES, OBJECTS = '1', COMMIT } = process.env;
const storage = openStorage(JSON.parse(LOCATION));
const chunk = Buffer.alloc(64 * 1024, 'x');
for (let objects = 0; objects < Number(OBJECTS); objects++) {
  const upload = await storage.create(KEY, { contentType: 'text/plain', fileName: 'a.txt' });
  for (let at = 0; at < Number(MEGABYTES) * 16; at++)
    if (!upload.stream.write(chunk)) await once(upload.stream, 'drain');
  if (COMMIT) await upload.commit();
}
process.stdout.write(`done ${Math.round(process.resourceUsage().maxRSS / 1024)} MB\n`);
if (!COMMIT) setInterval(() => undefined, 1000);

import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { useProcesses } from '../support/processes.js';
import { scriptCommand } from '../support/run-script.js';
import {
  ABOUT,
  bytesOf,
  CREDENTIALS,
  chunksOf,
  folderPlace,
  get,
  KEY,
  keysOf,
  type Place,
  put,
  rejection,
  s3Place,
  sha256Of,
  useCredentials,
} from './storage-fixture.js';

const MB = 1024 * 1024;
const FAR = () => new Date(Date.now() + 60_000);

/** A process of its own: writes so many MB under a key, as often as it is told, then commits or waits to be killed. */
const WRITER = `
  import { openStorage } from './shared/platform/storage/open-storage.ts';
  import { once } from 'node:events';
  const storage = openStorage(JSON.parse(process.env.LOCATION));
  const chunk = Buffer.alloc(64 * 1024, 'x');
  for (let objects = 0; objects < Number(process.env.OBJECTS ?? 1); objects++) {
    const upload = await storage.create(process.env.KEY, { contentType: 'text/plain', fileName: 'a.txt' });
    for (let at = 0; at < Number(process.env.MEGABYTES) * 16; at++)
      if (!upload.stream.write(chunk)) await once(upload.stream, 'drain');
    if (process.env.COMMIT) await upload.commit();
  }
  console.log('done', Math.round(process.resourceUsage().maxRSS / 1024), 'MB');
  if (!process.env.COMMIT) setInterval(() => undefined, 1000);
`;

for (const [name, makePlace] of [
  ['a folder', folderPlace],
  ['a bucket', s3Place],
] as const) {
  describe(`storage in ${name}`, () => {
    const processes = useProcesses();
    useCredentials();
    let place: Place;

    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.remove());

    const writer = (megabytes: number, more: Record<string, string> = {}) =>
      processes.start({
        command: scriptCommand('-e', WRITER),
        env: {
          LOCATION: JSON.stringify(place.location),
          KEY,
          MEGABYTES: String(megabytes),
          ...CREDENTIALS,
          ...more,
        },
      });

    for (const size of [0, 1, 8 * MB, 30 * MB + 17]) {
      it(`gives back the very bytes it was given, ${size} of them`, async () => {
        const bytes = bytesOf(size);
        const done = await put(place.storage, KEY, bytes);
        expect(done).to.deep.equal({ bytes: size, sha256: sha256Of(bytes) });
        const found = await get(place.storage, KEY);
        expect(found?.equals(bytes)).to.equal(true);
      });
    }

    it('shows nothing before commit, even of a stream that has ended', async () => {
      const upload = await place.storage.create(KEY, ABOUT);
      await pipeline(Readable.from(chunksOf(bytesOf(9 * MB))), upload.stream);
      expect(await place.storage.open(KEY)).to.equal(undefined);
      expect(await keysOf(place.storage)).to.deep.equal([]);
      await upload.commit();
      expect(await keysOf(place.storage)).to.deep.equal([KEY]);
    });

    it('leaves nothing of what was aborted, and a second abort does nothing', async () => {
      for (const size of [0, 100, 20 * MB]) {
        const upload = await place.storage.create(KEY, ABOUT);
        for (const chunk of chunksOf(bytesOf(size)))
          if (!upload.stream.write(chunk)) await once(upload.stream, 'drain');
        await upload.abort();
        await upload.abort();
        expect(await place.leftovers(), String(size)).to.deep.equal([]);
        expect((await rejection(upload.commit())).message).to.include('aborted');
      }
    });

    it('leaves nothing of a stream that broke, and says what broke it', async () => {
      const fault = Object.assign(new Error('the snapshot is gone'), { code: 'ECONNRESET' });
      const broken = async function* () {
        yield* chunksOf(bytesOf(20 * MB));
        throw fault;
      };
      const upload = await place.storage.create(KEY, ABOUT);
      expect(await rejection(pipeline(Readable.from(broken()), upload.stream))).to.equal(fault);
      expect(await rejection(upload.commit())).to.equal(fault);
      expect(await place.leftovers()).to.deep.equal([]);
    });

    it('makes no object of a stream that was destroyed without a word', async () => {
      const upload = await place.storage.create(KEY, ABOUT);
      upload.stream.write(bytesOf(100));
      upload.stream.destroy();
      await rejection(upload.commit());
      expect(await place.leftovers()).to.deep.equal([]);
    });

    it('abort after commit leaves the object alone', async () => {
      const upload = await place.storage.create(KEY, ABOUT);
      upload.stream.write('whole');
      await upload.commit();
      await upload.abort();
      expect(String(await get(place.storage, KEY))).to.equal('whole');
    });

    it('a killed process leaves nothing to be read, and a sweep removes what is left', async () => {
      await put(place.storage, 'other/whole', bytesOf(10));
      const process = writer(30);
      await process.prints(/done/);
      await process.stop('SIGKILL');
      expect(await place.storage.open(KEY)).to.equal(undefined);
      expect(await keysOf(place.storage)).to.deep.equal(['other/whole']);
      const before = await place.leftovers();
      expect(await place.storage.sweep(new Date(Date.now() - 3_600_000))).to.equal(0);
      expect(await place.leftovers()).to.deep.equal(before);
      expect(await place.storage.sweep(FAR())).to.equal(1);
      expect((await place.leftovers()).filter((one) => one.includes(KEY))).to.deep.equal([]);
      expect(await keysOf(place.storage)).to.deep.equal(['other/whole']);
      expect(await place.storage.sweep(FAR())).to.equal(0);
    });

    it('what a killed process left under one key can be removed at once, and nothing else', async () => {
      // Nobody else's, though its name begins alike.
      const alive = await place.storage.create(`${KEY}0`, ABOUT);
      for (const chunk of chunksOf(bytesOf(9 * MB)))
        if (!alive.stream.write(chunk)) await once(alive.stream, 'drain');
      const process = writer(30);
      await process.prints(/done/);
      await process.stop('SIGKILL');
      await put(place.storage, KEY, bytesOf(10));
      const left = async () =>
        (await place.leftovers()).filter((name) => name.endsWith(KEY) || name.includes('.part-1-'));
      expect(await left()).to.have.length(2);
      await place.storage.abandon(KEY);
      await place.storage.abandon(KEY);
      expect(await left()).to.have.length(1);
      expect((await get(place.storage, KEY))?.length, 'the whole object').to.equal(10);
      expect((await alive.commit()).bytes).to.equal(9 * MB);
    });

    it('memory does not grow with the object', async () => {
      place.forgetBytes?.();
      const peaks: number[] = [];
      for (const megabytes of [160, 960]) {
        const printed = await writer(megabytes, { COMMIT: '1' }).prints(/done (\d+) MB/);
        peaks.push(Number(printed[1]));
      }
      const [small = 0, large = 0] = peaks;
      expect(large - small, `peaks in MB: ${peaks}`).to.be.below(50);
    });

    it('memory does not grow with the number of objects', async () => {
      place.forgetBytes?.();
      const peaks: number[] = [];
      for (const OBJECTS of ['1', '20']) {
        const printed = await writer(32, { COMMIT: '1', OBJECTS }).prints(/done (\d+) MB/);
        peaks.push(Number(printed[1]));
      }
      const [one = 0, many = 0] = peaks;
      expect(many - one, `peaks in MB: ${peaks}`).to.be.below(50);
    });

    it('gives ranges, both ends included, and refuses those that are not within', async () => {
      const bytes = bytesOf(9 * MB);
      await put(place.storage, KEY, bytes);
      for (const [start, end] of [
        [0, 0],
        [5, 70_000],
        [8 * MB - 1, 8 * MB],
        [9 * MB - 1, 9 * MB - 1],
      ] as const) {
        const found = await place.storage.open(KEY, { start, end });
        expect(found?.size).to.equal(9 * MB);
        found?.stream.destroy();
        const part = await get(place.storage, KEY, { start, end });
        expect(part?.equals(bytes.subarray(start, end + 1)), `${start}-${end}`).to.equal(true);
      }
      for (const range of [
        { start: 9 * MB, end: 9 * MB },
        { start: 0, end: 9 * MB },
        { start: 2, end: 1 },
        { start: -1, end: 1 },
        { start: 0.5, end: 1 },
      ])
        expect(await rejection(place.storage.open(KEY, range)), JSON.stringify(range)).to.be.instanceOf(
          RangeError,
        );
    });

    it('what is not there is undefined to read, and no error to delete', async () => {
      expect(await place.storage.open(KEY)).to.equal(undefined);
      expect(await place.storage.open(KEY, { start: 0, end: 1 })).to.equal(undefined);
      await place.storage.delete(KEY);
      await put(place.storage, KEY, bytesOf(10));
      await place.storage.delete(KEY);
      await place.storage.delete(KEY);
      expect(await place.storage.open(KEY)).to.equal(undefined);
      expect(await place.leftovers()).to.deep.equal([]);
    });

    it('takes no key that leads elsewhere', async () => {
      const bad = [
        '',
        '/',
        '/etc/passwd',
        '../a',
        'a/../../b',
        'a/./b',
        'a//b',
        'a/',
        'a\\b',
        'a\0b',
        '.part-a',
        'a/.b',
        'ä',
        'a b',
      ];
      for (const key of [...bad, 'a'.repeat(501)]) {
        for (const work of [
          () => place.storage.create(key, ABOUT),
          () => place.storage.open(key),
          () => place.storage.delete(key),
          () =>
            place.location.kind === 's3'
              ? place.storage.link(key, { ...ABOUT, seconds: 1 })
              : place.storage.open(key),
        ])
          expect(await rejection(work()), key).to.be.instanceOf(TypeError);
      }
      expect(await rejection(keysOf(place.storage, '..'))).to.be.instanceOf(TypeError);
    });

    it('lists what lies under a folder, with its time, and nothing else', async () => {
      const keys = ['a/1/1', 'a/1/2', 'a/2/1', 'ab/1/1'];
      for (const key of keys) await put(place.storage, key, bytesOf(3));
      const unfinished = await place.storage.create('a/3/1', ABOUT);
      expect(await keysOf(place.storage)).to.deep.equal(keys);
      expect(await keysOf(place.storage, 'a')).to.deep.equal(keys.slice(0, 3));
      expect(await keysOf(place.storage, 'a/1')).to.deep.equal(keys.slice(0, 2));
      expect(await keysOf(place.storage, 'nobody')).to.deep.equal([]);
      for await (const { modifiedAt } of place.storage.list(''))
        expect(Math.abs(Date.now() - modifiedAt.getTime())).to.be.below(60_000);
      await unfinished.abort();
    });

    it('an object may be begun while another of its folder is deleted', async () => {
      for (let round = 0; round < 20; round++) {
        await put(place.storage, 't/e/1', bytesOf(3));
        await Promise.all([place.storage.delete('t/e/1'), put(place.storage, 't/e/2', bytesOf(3))]);
        expect(await keysOf(place.storage)).to.deep.equal(['t/e/2']);
        await place.storage.delete('t/e/2');
      }
    });
  });
}

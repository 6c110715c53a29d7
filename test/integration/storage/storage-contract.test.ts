import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { expect } from 'chai';
import { buildBundledCommand } from '../../support/bundles/bundle-programs.js';
import { useProcesses } from '../../support/load/processes.js';
import {
  catchRejection,
  computeSha256,
  createFolderStorage,
  createS3Storage,
  generateBytes,
  getObject,
  listStorageKeys,
  OBJECT_KEY,
  OBJECT_METADATA,
  putObject,
  S3_CREDENTIALS,
  splitIntoChunks,
  type TestStorage,
  useAwsCredentials,
} from './storage-fixture.js';

const MB = 1024 * 1024;
const inOneMinute = () => new Date(Date.now() + 60_000);

const WRITER = 'test/integration/storage/storage-writer.ts';

for (const [name, makePlace] of [
  ['a folder', createFolderStorage],
  ['a bucket', createS3Storage],
] as const) {
  describe(`storage in ${name}`, () => {
    const processes = useProcesses();
    useAwsCredentials();
    let place: TestStorage;

    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.remove());

    const startWriter = (megabytes: number, more: Record<string, string> = {}) =>
      processes.start({
        command: buildBundledCommand(WRITER),
        env: {
          LOCATION: JSON.stringify(place.location),
          KEY: OBJECT_KEY,
          MEGABYTES: String(megabytes),
          ...S3_CREDENTIALS,
          ...more,
        },
      });

    for (const size of [0, 1, 8 * MB, 30 * MB + 17]) {
      it(`storage in ${name} returns exactly the ${size} bytes that were stored`, async () => {
        const bytes = generateBytes(size);
        const stored = await putObject(place.storage, OBJECT_KEY, bytes);
        expect(stored).to.deep.equal({ bytes: size, sha256: computeSha256(bytes) });
        const found = await getObject(place.storage, OBJECT_KEY);
        expect(found?.equals(bytes)).to.equal(true);
      });
    }

    it(`storage in ${name} shows no object before commit, even after the stream has ended`, async () => {
      const upload = await place.storage.create(OBJECT_KEY, OBJECT_METADATA);
      await pipeline(Readable.from(splitIntoChunks(generateBytes(9 * MB))), upload.stream);
      expect(await place.storage.open(OBJECT_KEY)).to.equal(undefined);
      expect(await listStorageKeys(place.storage)).to.deep.equal([]);
      await upload.commit();
      expect(await listStorageKeys(place.storage)).to.deep.equal([OBJECT_KEY]);
    });

    it(`storage in ${name} keeps nothing of an aborted upload, and a second abort does nothing`, async () => {
      for (const size of [0, 100, 20 * MB]) {
        const upload = await place.storage.create(OBJECT_KEY, OBJECT_METADATA);
        for (const chunk of splitIntoChunks(generateBytes(size)))
          if (!upload.stream.write(chunk)) await once(upload.stream, 'drain');
        await upload.abort();
        await upload.abort();
        expect(await place.listLeftovers(), String(size)).to.deep.equal([]);
        expect((await catchRejection(upload.commit())).message).to.include('aborted');
      }
    });

    it(`storage in ${name} keeps nothing of a broken stream, and commit fails with its error`, async () => {
      const error = Object.assign(new Error('the snapshot is gone'), { code: 'ECONNRESET' });
      const broken = async function* () {
        yield* splitIntoChunks(generateBytes(20 * MB));
        throw error;
      };
      const upload = await place.storage.create(OBJECT_KEY, OBJECT_METADATA);
      expect(await catchRejection(pipeline(Readable.from(broken()), upload.stream))).to.equal(error);
      expect(await catchRejection(upload.commit())).to.equal(error);
      expect(await place.listLeftovers()).to.deep.equal([]);
    });

    it(`storage in ${name} stores no object after the stream was destroyed without an error`, async () => {
      const upload = await place.storage.create(OBJECT_KEY, OBJECT_METADATA);
      upload.stream.write(generateBytes(100));
      upload.stream.destroy();
      await catchRejection(upload.commit());
      expect(await place.listLeftovers()).to.deep.equal([]);
    });

    it(`storage in ${name} keeps the object when abort follows commit`, async () => {
      const upload = await place.storage.create(OBJECT_KEY, OBJECT_METADATA);
      upload.stream.write('whole');
      await upload.commit();
      await upload.abort();
      expect(String(await getObject(place.storage, OBJECT_KEY))).to.equal('whole');
    });

    it(`storage in ${name} shows no object of a killed process, and a sweep removes its remains`, async () => {
      await putObject(place.storage, 'other/whole', generateBytes(10));
      const child = startWriter(30);
      await child.waitForOutput(/done/);
      await child.stop('SIGKILL');
      expect(await place.storage.open(OBJECT_KEY)).to.equal(undefined);
      expect(await listStorageKeys(place.storage)).to.deep.equal(['other/whole']);
      const before = await place.listLeftovers();
      expect(await place.storage.discardStaleUploads(new Date(Date.now() - 3_600_000))).to.equal(0);
      expect(await place.listLeftovers()).to.deep.equal(before);
      expect(await place.storage.discardStaleUploads(inOneMinute())).to.equal(1);
      expect((await place.listLeftovers()).filter((one) => one.includes(OBJECT_KEY))).to.deep.equal([]);
      expect(await listStorageKeys(place.storage)).to.deep.equal(['other/whole']);
      expect(await place.storage.discardStaleUploads(inOneMinute())).to.equal(0);
    });

    it(`storage in ${name} removes the remains of a killed process under one key, and nothing else`, async () => {
      // This upload must survive, although its key begins with `OBJECT_KEY`.
      const alive = await place.storage.create(`${OBJECT_KEY}0`, OBJECT_METADATA);
      for (const chunk of splitIntoChunks(generateBytes(9 * MB)))
        if (!alive.stream.write(chunk)) await once(alive.stream, 'drain');
      const child = startWriter(30);
      await child.waitForOutput(/done/);
      await child.stop('SIGKILL');
      await putObject(place.storage, OBJECT_KEY, generateBytes(10));
      const left = async () =>
        (await place.listLeftovers()).filter(
          (name) => name.endsWith(OBJECT_KEY) || name.includes('.part-1-'),
        );
      expect(await left()).to.have.length(2);
      await place.storage.discardUploads(OBJECT_KEY);
      await place.storage.discardUploads(OBJECT_KEY);
      expect(await left()).to.have.length(1);
      expect((await getObject(place.storage, OBJECT_KEY))?.length, 'the whole object').to.equal(10);
      expect((await alive.commit()).bytes).to.equal(9 * MB);
    });

    it(`storage in ${name} uses memory that does not grow with the size of the object`, async () => {
      place.discardBytes?.();
      const peaks: number[] = [];
      for (const megabytes of [80, 400]) {
        const printed = await startWriter(megabytes, { COMMIT: '1' }).waitForOutput(/done (\d+) MB/);
        peaks.push(Number(printed[1]));
      }
      const [small = 0, large = 0] = peaks;
      expect(large - small, `peaks in MB: ${peaks}`).to.be.below(50);
    });

    it(`storage in ${name} uses memory that does not grow with the number of objects`, async () => {
      place.discardBytes?.();
      const peaks: number[] = [];
      for (const OBJECTS of ['1', '20']) {
        const printed = await startWriter(20, { COMMIT: '1', OBJECTS }).waitForOutput(/done (\d+) MB/);
        peaks.push(Number(printed[1]));
      }
      const [one = 0, many = 0] = peaks;
      expect(many - one, `peaks in MB: ${peaks}`).to.be.below(50);
    });

    it(`storage in ${name} returns ranges with both ends included, and refuses ranges outside the object`, async () => {
      const bytes = generateBytes(9 * MB);
      await putObject(place.storage, OBJECT_KEY, bytes);
      for (const [start, end] of [
        [0, 0],
        [5, 70_000],
        [8 * MB - 1, 8 * MB],
        [9 * MB - 1, 9 * MB - 1],
      ] as const) {
        const found = await place.storage.open(OBJECT_KEY, { start, end });
        expect(found?.size).to.equal(9 * MB);
        found?.stream.destroy();
        const part = await getObject(place.storage, OBJECT_KEY, { start, end });
        expect(part?.equals(bytes.subarray(start, end + 1)), `${start}-${end}`).to.equal(true);
      }
      for (const range of [
        { start: 9 * MB, end: 9 * MB },
        { start: 0, end: 9 * MB },
        { start: 2, end: 1 },
        { start: -1, end: 1 },
        { start: 0.5, end: 1 },
      ])
        expect(
          await catchRejection(place.storage.open(OBJECT_KEY, range)),
          JSON.stringify(range),
        ).to.be.instanceOf(RangeError);
    });

    it(`storage in ${name} returns undefined for a missing object, and deletes it without an error`, async () => {
      expect(await place.storage.open(OBJECT_KEY)).to.equal(undefined);
      expect(await place.storage.open(OBJECT_KEY, { start: 0, end: 1 })).to.equal(undefined);
      await place.storage.delete(OBJECT_KEY);
      await putObject(place.storage, OBJECT_KEY, generateBytes(10));
      await place.storage.delete(OBJECT_KEY);
      await place.storage.delete(OBJECT_KEY);
      expect(await place.storage.open(OBJECT_KEY)).to.equal(undefined);
      expect(await place.listLeftovers()).to.deep.equal([]);
    });

    it(`storage in ${name} refuses keys that could lead outside its folder`, async () => {
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
          () => place.storage.create(key, OBJECT_METADATA),
          () => place.storage.open(key),
          () => place.storage.delete(key),
          () =>
            place.location.kind === 's3'
              ? place.storage.createLink(key, { ...OBJECT_METADATA, seconds: 1 })
              : place.storage.open(key),
        ])
          expect(await catchRejection(work()), key).to.be.instanceOf(TypeError);
      }
      expect(await catchRejection(listStorageKeys(place.storage, '..'))).to.be.instanceOf(TypeError);
    });

    it(`storage in ${name} lists the objects under a folder with their times, and nothing else`, async () => {
      const keys = ['a/1/1', 'a/1/2', 'a/2/1', 'ab/1/1'];
      for (const key of keys) await putObject(place.storage, key, generateBytes(3));
      const unfinished = await place.storage.create('a/3/1', OBJECT_METADATA);
      expect(await listStorageKeys(place.storage)).to.deep.equal(keys);
      expect(await listStorageKeys(place.storage, 'a')).to.deep.equal(keys.slice(0, 3));
      expect(await listStorageKeys(place.storage, 'a/1')).to.deep.equal(keys.slice(0, 2));
      expect(await listStorageKeys(place.storage, 'nobody')).to.deep.equal([]);
      for await (const { modifiedAt } of place.storage.list(''))
        expect(Math.abs(Date.now() - modifiedAt.getTime())).to.be.below(60_000);
      await unfinished.abort();
    });

    it(`storage in ${name} stores an object while another object of its folder is deleted`, async () => {
      for (let round = 0; round < 20; round++) {
        await putObject(place.storage, 't/e/1', generateBytes(3));
        await Promise.all([
          place.storage.delete('t/e/1'),
          putObject(place.storage, 't/e/2', generateBytes(3)),
        ]);
        expect(await listStorageKeys(place.storage)).to.deep.equal(['t/e/2']);
        await place.storage.delete('t/e/2');
      }
    });
  });
}

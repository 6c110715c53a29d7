import { expect } from 'chai';
import sharp, { type Sharp } from 'sharp';
import { openStorage } from '../../../shared/storage/open-storage.js';
import { deleteOrphanedObjects } from '../../../workers/exports/cleaner.js';
import type { Json, TestClient } from '../../support/client.js';
import { createDrivenJob, DriverClient } from '../../support/public-pages/driven-job.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const MIB = 1024 * 1024;

/** Draws a photo in one color. Photos with different values of `red` are different pictures. */
function drawPhoto(red: number, { width = 640, height = 480 } = {}): Sharp {
  return sharp({ create: { width, height, channels: 3, background: { r: red, g: 90, b: 200 } } });
}
const drawJpeg = (red: number) => drawPhoto(red).jpeg().toBuffer();

describe('photos of work orders', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const post = (
    id: string,
    raw: Buffer,
    { client = tenant.client, type = 'image/jpeg', ...headers }: Json = {},
  ) =>
    (client as TestClient).call('POST', `/work-orders/${id}/photos`, {
      raw,
      headers: { 'content-type': type, ...headers },
    });
  const list = async (id: string) =>
    (await tenant.client.get(`/work-orders/${id}/photos`)).body.data.items as Json[];
  async function download(photoId: string): Promise<Response> {
    return fetch(`${stack.origin}/v1/photos/${photoId}/picture`, {
      headers: { authorization: `Bearer ${tenant.client.key}` },
    });
  }
  async function createJob() {
    const job = await createDrivenJob(tenant.client);
    return { ...job, page: new DriverClient(stack, job.path) };
  }

  it('a photo is stored upright, shrunk, as a JPEG, and without the place where it was taken', async () => {
    const { page, id } = await createJob();
    const file = await drawPhoto(10, { width: 3000, height: 1000 })
      .withExif({
        IFD0: { Make: 'CanaryPhone' },
        IFD3: { GPSLatitude: '40/1 42/1 0/1', GPSLatitudeRef: 'N' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    expect(file.includes('CanaryPhone'), 'the photo that is sent').to.equal(true);
    const { status, text, body } = await page.addPhoto(file);
    expect(status, text).to.equal(200);
    expect(body.data.state.photos).to.include({ stored: 1, max: 50, max_bytes: 10 * MIB });
    const [photo] = await list(id);
    expect(photo).to.include({ work_order_id: id, content_type: 'image/jpeg', width: 683, height: 2048 });
    expect(photo.uploaded_by).to.equal("Sam Rivera (driver's page)");
    expect(photo.taken_at).to.be.a('string');
    const response = await download(photo.id);
    expect(response.headers.get('content-type')).to.equal('image/jpeg');
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff');
    const bytes = Buffer.from(await response.arrayBuffer());
    expect(bytes.length).to.equal(photo.bytes);
    const { exif, icc, xmp, orientation } = await sharp(bytes).metadata();
    expect({ exif, icc, xmp, orientation }).to.deep.equal({
      exif: undefined,
      icc: undefined,
      xmp: undefined,
      orientation: undefined,
    });
    expect(bytes.includes('CanaryPhone')).to.equal(false);
  });

  it('photos in PNG and WebP become JPEG, without the bytes of another file that followed the picture', async () => {
    const { page, id } = await createJob();
    const script = Buffer.from('<script>alert(1)</script>PK\x03\x04');
    const files = [
      { bytes: await drawPhoto(20).png().toBuffer(), type: 'image/png' },
      { bytes: await drawPhoto(21).webp().toBuffer(), type: 'image/webp' },
      { bytes: Buffer.concat([await drawJpeg(22), script]), type: 'image/jpeg' },
    ];
    for (const { bytes, type } of files) {
      const { status, text } = await page.addPhoto(bytes, { type });
      expect(status, text).to.equal(200);
    }
    const photos = await list(id);
    expect(photos.map(({ content_type }) => content_type)).to.deep.equal(Array(3).fill('image/jpeg'));
    for (const photo of photos) {
      const bytes = Buffer.from(await (await download(photo.id)).arrayBuffer());
      expect((await sharp(bytes).metadata()).format).to.equal('jpeg');
      expect(bytes.includes('<script>')).to.equal(false);
    }
  });

  it('files that are no photos, bombs and files over 10 MiB are refused with a reason, and nothing is stored', async () => {
    const { page, id } = await createJob();
    const bomb = await drawPhoto(30, { width: 9000, height: 9000 }).png({ compressionLevel: 9 }).toBuffer();
    expect(bomb.length, 'size of the bomb').to.be.below(2 * MIB);
    const whole = await drawJpeg(31);
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>',
    );
    const refused: [Buffer, string, number, RegExp][] = [
      [bomb, 'image/png', 400, /50 million pixels/],
      [svg, 'image/jpeg', 400, /not a JPEG, PNG or WebP/],
      [Buffer.from('GIF89a-----'), 'image/png', 400, /not a JPEG, PNG or WebP/],
      [whole.subarray(0, 300), 'image/jpeg', 400, /damaged/],
      [Buffer.concat([whole.subarray(0, 20), Buffer.alloc(2000)]), 'image/jpeg', 400, /damaged/],
      [Buffer.alloc(0), 'image/jpeg', 400, /not a JPEG/],
      [Buffer.alloc(10 * MIB + 1, whole), 'image/jpeg', 413, /larger than/],
      [whole, 'image/heic', 415, /image\/jpeg/],
      [svg, 'image/svg+xml', 415, /image\/jpeg/],
    ];
    for (const [bytes, type, status, reason] of refused) {
      const response = await page.addPhoto(bytes, { type });
      expect(response.status, response.text).to.equal(status);
      expect(response.body.error.message).to.match(reason);
    }
    expect(await list(id)).to.have.length(0);
    expect((await page.addPhoto(whole)).status, 'a photo after that').to.equal(200);
  });

  it('a photo that is sent twice, even at once and under new ids, is stored once', async () => {
    const { page, id } = await createJob();
    const file = await drawJpeg(40);
    const once = crypto.randomUUID();
    const sent = await Promise.all([
      page.addPhoto(file, { id: once }),
      page.addPhoto(file, { id: once }),
      page.addPhoto(file),
    ]);
    for (const { status } of sent) expect(status).to.be.oneOf([200, 409]);
    expect((await page.addPhoto(file, { id: once })).status).to.equal(200);
    expect(await list(id)).to.have.length(1);
    const again = await post(id, file);
    expect(again.status).to.equal(409);
    expect(again.body.error.details[0].id).to.equal((await list(id))[0]?.id);
  });

  it('a photo that is sent again with its Idempotency-Key gets the same 201, also once there is no room', async () => {
    const { id } = await createJob();
    const file = await drawJpeg(45);
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const first = await post(id, file, headers);
    expect(first.status, first.text).to.equal(201);
    const expectReplay = async () => {
      const again = await post(id, file, headers);
      expect(again.status, again.text).to.equal(201);
      expect(again.body).to.deep.equal(first.body);
      expect(again.headers['x-idempotency-replay']).to.equal('true');
    };
    await expectReplay();
    await stack.rows(
      tenant.id,
      `insert into work_order_photos (tenant_id, id, work_order_id, content_type, width, height, bytes, sha256, object_key)
       select $1, gen_random_uuid(), $2, 'image/jpeg', 1, 1, 1, n::text, 'none' from generate_series(1, 49) n`,
      [tenant.id, id],
    );
    await expectReplay();
    const storage = openStorage(stack.runtime.config.exportStorage);
    const countObjects = async () => {
      let count = 0;
      for await (const _ of storage.list(`${tenant.id}/photos`)) count += 1;
      return count;
    };
    const before = await countObjects();
    for (const raw of [file, await drawJpeg(46)]) {
      const refused = await post(id, raw, { 'idempotency-key': crypto.randomUUID() });
      expect(refused.status, 'a new key').to.equal(409);
    }
    expect(await countObjects(), 'pictures of refused photos').to.equal(before);
  });

  it('a work order takes at most 50 photos, even if the last ones arrive at once', async () => {
    const { id } = await createJob();
    await stack.rows(
      tenant.id,
      `insert into work_order_photos (tenant_id, id, work_order_id, content_type, width, height, bytes, sha256, object_key)
       select $1, gen_random_uuid(), $2, 'image/jpeg', 1, 1, 1, n::text, 'none' from generate_series(1, 48) n`,
      [tenant.id, id],
    );
    const files = await Promise.all([50, 51, 52, 53].map(drawJpeg));
    const statuses = await Promise.all(files.map(async (file: Buffer) => (await post(id, file)).status));
    expect(statuses.sort()).to.deep.equal([201, 201, 409, 409]);
  });

  it('a key adds, lists, reads and deletes a photo, another account sees none, and the audit log shows who', async () => {
    const { id } = await createJob();
    const added = await post(id, await drawJpeg(60));
    expect(added.status, added.text).to.equal(201);
    expect((await tenant.client.get(String(added.headers.location).replace(/^\/v1/, ''))).body).to.deep.equal(
      added.body,
    );
    const photoPath = `/photos/${added.body.id}`;
    const { client: stranger } = await stack.createTenant('Other Towing');
    for (const path of [photoPath, `${photoPath}/picture`, `/work-orders/${id}/photos`])
      expect((await stranger.get(path)).status, path).to.equal(404);
    expect((await post(id, await drawJpeg(61), { client: stranger })).status).to.equal(404);
    expect((await stranger.delete(photoPath)).status).to.equal(404);
    expect((await tenant.client.delete(photoPath)).status).to.equal(200);
    expect((await tenant.client.get(photoPath)).status).to.equal(404);
    expect((await tenant.client.get(`${photoPath}/picture`)).status).to.equal(404);
    expect(await list(id)).to.have.length(0);
    const { items } = (await tenant.client.get(`/audit-log?entity_id=${added.body.id}`)).body.data;
    expect(items.map(({ action }: Json) => action)).to.have.members([
      'work_order_photo.created',
      'work_order_photo.deleted',
    ]);
    expect(JSON.stringify(items)).to.not.include('object_key');
  });

  it('a dry run of a photo stores no picture, and agents may neither see nor add photos', async () => {
    const { id } = await createJob();
    const tried = await post(id, await drawJpeg(70), { 'x-service-dry-run': 'true' });
    expect(tried.status, tried.text).to.equal(200);
    expect(await list(id)).to.have.length(0);
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_work_orders'] }),
    );
    expect((await agent.get(`/work-orders/${id}/photos`)).status).to.equal(403);
    expect((await post(id, await drawJpeg(71), { client: agent })).status).to.equal(403);
  });

  it('the storage cleaner deletes the pictures that no photo has, finds all of an account in one transaction, and keeps the others', async () => {
    const { id } = await createJob();
    const storage = openStorage(stack.runtime.config.exportStorage);
    const kept = (await post(id, await drawJpeg(80))).body;
    const deleted = (await post(id, await drawJpeg(81))).body;
    await tenant.client.delete(`/photos/${deleted.id}`);
    const orphanKey = `${tenant.id}/photos/${crypto.randomUUID()}.jpg`;
    const orphan = await storage.create(orphanKey, {
      contentType: 'image/jpeg',
      fileName: 'photo.jpg',
    });
    orphan.stream.end('left behind');
    await orphan.commit();
    const listKeys = async () => {
      const keys: string[] = [];
      for await (const { key } of storage.list(`${tenant.id}/photos`)) keys.push(key);
      return keys;
    };
    expect(await listKeys()).to.include(orphanKey);
    const { db } = stack.runtime;
    const send = db.transaction;
    let transactions = 0;
    db.transaction = ((tenantIds, work) => {
      if (tenantIds.join() === tenant.id) transactions += 1;
      return send.call(db, tenantIds, work);
    }) as typeof db.transaction;
    try {
      await deleteOrphanedObjects(stack.runtime, storage, new Date(Date.now() + 60_000));
    } finally {
      db.transaction = send;
    }
    // One of the two transactions reads whether earlier passes failed for the account.
    expect(transactions, 'transactions for all objects of the account').to.equal(2);
    const known = await stack.rows<{ object_key: string }>(
      tenant.id,
      "select object_key from work_order_photos where tenant_id = $1 and deleted_at is null and object_key <> 'none'",
      [tenant.id],
    );
    expect(await listKeys()).to.have.members(known.map(({ object_key }) => object_key));
    expect((await download(kept.id)).status).to.equal(200);
  });
});

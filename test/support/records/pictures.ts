import { expect } from 'chai';
import { encodePng } from '../../../bin/demo/logo.js';
import type { TestClient } from '../client.js';

export function createRedPng(width = 40, height = 20): Buffer {
  return encodePng({ width, height }, () => [200, 30, 30]);
}

/** A baseline JPEG of 17 × 22 pixels. */
export const SMALL_JPEG = Buffer.from(
  `
    /9j/4AAQSkZJRgABAQEAAgACAAD/2wBDAKBueIx4ZKCMgoy0qqC+8P//8Nzc8P//////////////////////////////
    ////////////////////////////2wBDAaq0tPDS8P//////////////////////////////////////////////////
    ////////////////////////////wAARCAAWABEDASIAAhEBAxEB/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcI
    CQoL/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRol
    JicoKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ip
    qrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/8QAHwEAAwEBAQEBAQEBAQAAAAAA
    AAECAwQFBgcICQoL/8QAtREAAgECBAQDBAcFBAQAAQJ3AAECAxEEBSExBhJBUQdhcRMiMoEIFEKRobHBCSMzUvAVYnLR
    ChYkNOEl8RcYGRomJygpKjU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6goOEhYaHiImKkpOUlZaX
    mJmaoqOkpaanqKmqsrO0tba3uLm6wsPExcbHyMnK0tPU1dbX2Nna4uPk5ebn6Onq8vP09fb3+Pn6/9oADAMBAAIRAxEA
    PwCaikI5+8R+X+FN/wCBN+X/ANjQA+iiigAooooAKKKKAP/Z
  `,
  'base64',
);

/**
 * Adds a photo to a work order, and returns its id. Photos of different widths are different
 * pictures.
 */
export async function addPhoto(client: TestClient, workOrderId: string, width = 40): Promise<string> {
  const photo = { raw: createRedPng(width), headers: { 'content-type': 'image/png' } };
  const response = await client.call('POST', `/work-orders/${workOrderId}/photos`, photo);
  expect(response.status, response.text).to.equal(201);
  return response.body.id;
}

import { expect } from 'chai';
import type { TestClient } from '../client.js';
import { createRedPng } from './pictures.js';

/** Adds a photo to a work order, and returns its id. Photos of other widths are other pictures. */
export async function addPhoto(client: TestClient, workOrderId: string, width = 40): Promise<string> {
  const photo = { raw: createRedPng(width), headers: { 'content-type': 'image/png' } };
  const response = await client.call('POST', `/work-orders/${workOrderId}/photos`, photo);
  expect(response.status, response.text).to.equal(201);
  return response.body.id;
}

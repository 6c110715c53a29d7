import type { CommandHandlers } from '../../../contracts/command.js';
import {
  createConnectionMoveHandler,
  reconnectConnections,
  replayConnectionOperations,
  syncConnections,
  testConnections,
  updateConnections,
} from './action-handlers.js';
import { createConnections } from './create-handler.js';
import { receiveConnectionNotices } from './receive-handler.js';
import { reconcileConnections } from './reconcile-handler.js';
import {
  authorizeConnections,
  recordConnectionStatuses,
  recordConnectionsUnrevoked,
  recordConnectionsVerified,
} from './record-handlers.js';

export const connectionHandlers: CommandHandlers = {
  'connection.create': createConnections,
  'connection.update': updateConnections,
  'connection.reconnect': reconnectConnections,
  'connection.test': testConnections,
  'connection.pause': createConnectionMoveHandler('pause'),
  'connection.resume': createConnectionMoveHandler('resume'),
  'connection.disconnect': createConnectionMoveHandler('disconnect'),
  'connection.sync': syncConnections,
  'connection.reconcile': reconcileConnections,
  'connection.replay_operations': replayConnectionOperations,
  'connection.authorize': authorizeConnections,
  'connection.receive': receiveConnectionNotices,
  'connection.record_verified': recordConnectionsVerified,
  'connection.record_status': recordConnectionStatuses,
  'connection.record_unrevoked': recordConnectionsUnrevoked,
};

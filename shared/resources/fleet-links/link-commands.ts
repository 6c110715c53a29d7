import type Joi from 'joi';
import { type CommandDefinition, defineCommand } from '../../contracts/command.js';

/** The input that the API takes from the path: the id of the connection. */
export interface NamedConnection {
  connection_id: string;
}

/** Defines the commands that link a listed record to a record here, and that end its link. */
export function defineLinkCommands<Link>(
  entityType: string,
  schemas: { link: Joi.ObjectSchema; unlink: Joi.ObjectSchema },
): {
  link: CommandDefinition<Link & NamedConnection>;
  unlink: CommandDefinition<NamedConnection>;
} {
  const conflictKeys = ({ connection_id }: NamedConnection) => [`links_of:${entityType}:${connection_id}`];
  return {
    link: defineCommand<Link & NamedConnection>({
      type: `${entityType}.link`,
      action: `${entityType}.linked`,
      permission: 'admin',
      schema: schemas.link as Joi.ObjectSchema<Link & NamedConnection>,
      conflictKeys,
    }),
    unlink: defineCommand<NamedConnection>({
      type: `${entityType}.unlink`,
      action: `${entityType}.unlinked`,
      permission: 'admin',
      schema: schemas.unlink as Joi.ObjectSchema<NamedConnection>,
      conflictKeys,
    }),
  };
}

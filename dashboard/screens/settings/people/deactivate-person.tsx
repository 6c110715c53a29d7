import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useSession } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';

/** Ends a person's access. First explains the consequences. */
export function DeactivatePerson({ person, onClose }: { person: Schemas['User']; onClose: () => void }) {
  const { data: session } = useSession();
  const write = useWrite(
    (headers, id: string) =>
      client.DELETE('/users/{id}', { params: { path: { id }, header: { ...headers, ...ifMatch(person) } } }),
    { done: ({ name }) => `${name} was deactivated` },
  );
  const isOwn = session?.user.id === person.id;
  const effect = `${isOwn ? 'This is you. ' : ''}${person.name} (${person.email}) cannot sign in any more, and all
    sessions end within 5 seconds. The record stays, for the audit log. Nobody can be reactivated.`;
  return (
    <ConfirmDialog
      title={`Deactivate ${person.name}`}
      verb="Deactivate"
      effect={effect}
      write={write}
      onConfirm={() => void write.run(person.id).then((saved) => saved && onClose())}
      onClose={onClose}
    />
  );
}

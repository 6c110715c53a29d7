import type { Schemas } from '../../../api/records';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useEdits } from '../../../parts/dialogs/use-edits';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import type { Endpoint } from '../choices/endpoint-names';
import { ENDPOINT_FIELDS, type EndpointDraft, EndpointFields } from './endpoint-fields';
import { useEndpointPatch } from './use-endpoint-patch';

export function EditEndpoint({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { opened, onProblem } = useOpenedVersion(endpoint);
  const { draft, edits, edit } = useEdits<EndpointDraft>(toDraft(opened));
  const write = useEndpointPatch(opened, 'Endpoint saved', onProblem);
  const submit = async () => {
    const isSame = Object.values(edits).every((value) => value === undefined);
    if (isSame || (await write.run(edits as Schemas['WebhookEndpointPatch']))) onClose();
  };
  return (
    <FormDialog
      title="Edit endpoint"
      submitLabel="Save"
      size="lg"
      isLong
      fields={ENDPOINT_FIELDS}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <EndpointFields draft={draft} errors={errors} headerNames={endpoint.header_names} onDraft={edit} />
      )}
    </FormDialog>
  );
}

function toDraft(endpoint: Endpoint): EndpointDraft {
  const { url, event_types, description, rate_limit_per_second, max_in_flight, asymmetric } = endpoint;
  return { url, event_types, description, rate_limit_per_second, max_in_flight, asymmetric };
}

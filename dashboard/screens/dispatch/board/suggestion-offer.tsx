import { Lightbulb } from 'lucide-react';
import { client, ifMatch } from '../../../api/client';
import { useWrite } from '../../../api/use-write';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { announce } from '../writes/card-store';
import { type Suggestion, useBoard } from './board-view';

type Decision = 'accept' | 'dismiss';

/** A suggestion for the work order, with its reason. The dispatcher can accept or dismiss it. */
export function SuggestionOffer({ suggestion }: { suggestion: Suggestion }) {
  const { canWrite } = useBoard();
  const write = useWrite((headers, decision: Decision) => {
    const params = { path: { id: suggestion.id }, header: { ...headers, ...ifMatch(suggestion) } };
    return decision === 'accept'
      ? client.POST('/suggestions/{id}/accept', { params, body: {} })
      : client.POST('/suggestions/{id}/dismiss', { params, body: {} });
  });
  const decide = async (decision: Decision) => {
    if (await write.run(decision))
      announce(`${suggestion.title}: ${decision === 'accept' ? 'accepted' : 'dismissed'}`);
  };
  return (
    <section className="dispatch-suggestion" aria-label="Suggestion">
      <p>
        <Lightbulb size={14} aria-hidden /> {suggestion.title}
      </p>
      <p className="dispatch-dim">{suggestion.rationale}</p>
      {write.problem && <ProblemAlert problem={write.problem} />}
      {canWrite && (
        <div className="dispatch-actions">
          <button
            type="button"
            className="dispatch-button"
            disabled={write.isRunning}
            onClick={() => void decide('accept')}
          >
            Accept
          </button>
          <button
            type="button"
            className="dispatch-button"
            disabled={write.isRunning}
            onClick={() => void decide('dismiss')}
          >
            Dismiss
          </button>
        </div>
      )}
    </section>
  );
}

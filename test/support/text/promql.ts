/** Reads the alert rules and the dashboard of docs/deploy. */
import { readSource } from './source-text.js';

export const ALERTS = 'docs/deploy/prometheus/alerts.yml';
export const ALERT_TESTS = 'docs/deploy/prometheus/alerts.test.yml';
export const DASHBOARD = 'docs/deploy/grafana/dashboard.json';

export interface AlertRule {
  name: string;
  expression: string;
  severity: string;
  runbook: string;
}

/** Labels that Prometheus adds, and the bound of a histogram's bucket. */
const OUTER_LABELS = new Set(['instance', 'job', 'le']);

/** Reads the rules of {@link ALERTS}. `promtool` checks that the file is valid YAML. */
export function readAlerts(): AlertRule[] {
  const [, ...rules] = readSource(ALERTS).split(/^ +- alert: /m);
  return rules.map((rule) => {
    const read = (pattern: RegExp) => pattern.exec(rule)?.[1]?.trim() ?? '';
    return {
      name: read(/^(\w+)/),
      expression: read(/^ +expr: (?:>-)?([\s\S]*?)\n +(?:for|labels):/m),
      severity: read(/^ +severity: (.*)/m),
      runbook: read(/^ +runbook: (.*)/m),
    };
  });
}

interface Panel {
  title: string;
  targets?: { expr: string }[];
}

export interface Dashboard {
  panels: Panel[];
}

export const readDashboard = (): Dashboard => JSON.parse(readSource(DASHBOARD)) as Dashboard;

/** Lists every PromQL expression of the rules and the dashboard, with the place that has it. */
export function listExpressions(): { place: string; expression: string }[] {
  const alerts = readAlerts().map(({ name, expression }) => ({ place: name, expression }));
  const panels = readDashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({ place: title, expression: expr })),
  );
  return [...alerts, ...panels];
}

export interface Selector {
  metric: string;
  /** The labels that the selector or a `by` of its expression names. */
  labels: string[];
  /** The labels that must have one value. */
  equal: Record<string, string>;
}

/** Lists the series that an expression selects, without `up`, which Prometheus itself stores. */
export function listSelectors(expression: string): Selector[] {
  const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(', '),
  );
  return [...expression.matchAll(/\b((?:tow|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', matchers = '']) => {
      const found = [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)];
      const labels = [...grouped, ...found.map(([, label = '']) => label)];
      return {
        metric,
        labels: [...new Set(labels)].filter((label) => !OUTER_LABELS.has(label)),
        equal: Object.fromEntries(
          found.filter(([, , operator]) => operator === '=').map(([, label, , value]) => [label, value]),
        ),
      };
    },
  );
}

export interface Series {
  metric: string;
  labels: Record<string, string>;
}

/** Reads a response of /metrics. */
export function parseSeries(page: string): Series[] {
  return page
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
      return {
        metric,
        labels: Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]),
        ),
      };
    });
}

/** Returns why no series fits a selector, or undefined. */
export function findSelectorProblem(
  { metric, labels, equal }: Selector,
  exposed: Series[],
): string | undefined {
  const ofMetric = exposed.filter((series) => series.metric === metric);
  if (ofMetric.length === 0) return `${metric} is not exposed`;
  const missing = labels.find((label) => !ofMetric.some((series) => label in series.labels));
  if (missing !== undefined) return `${metric} has no label ${missing}`;
  const fits = ofMetric.some((series) =>
    Object.entries(equal).every(([label, value]) => series.labels[label] === value),
  );
  return fits ? undefined : `no series of ${metric} has ${JSON.stringify(equal)}`;
}

/** One number from a suggestion's reason, with its meaning. */
export interface ReasonNumber {
  name: string;
  value: string;
}

/**
 * Patterns for the reasons that detectors write. The API returns the numbers only inside the text
 * of `rationale`, so this file extracts them. An unknown phrase yields no numbers.
 */
const PHRASES: readonly [RegExp, (parts: string[]) => Record<string, string>][] = [
  [
    /^(\d+) of (\d+) comparable (.+) were billed (.+), median (\$[\d,.]+); this one was not\.$/,
    ([billed = '', all = '', group = '', fee = '', median = '']) => ({
      'Compared with': describeGroup(group),
      'Similar work orders': all,
      [`Billed ${fee}`]: `${billed} (${Math.round((Number(billed) / Number(all)) * 100)} %)`,
      'Median of the fee': median,
    }),
  ],
  [
    /^(.+) is ([\d.]+) times the median of (.+) over (\d+) (.+) in the last 180 days \(robust z (.+)\)\.$/,
    ([value = '', ratio = '', median = '', count = '', group = '', z = '']) => ({
      'Compared with': `${describeGroup(group)}, last 180 days`,
      'Similar work orders': count,
      'This work order': value,
      Median: median,
      'Times the median': ratio,
      'Robust z-score': z,
    }),
  ],
  [
    /^(\$[\d,.]+) is ([\d.]+) times the (\$[\d,.]+) that .+ median prices of (\d+) (.+) in the last 180 days \(robust z (.+)\)\.$/,
    ([value = '', ratio = '', usual = '', count = '', group = '', z = '']) => ({
      'Compared with': `${describeGroup(group)}, last 180 days`,
      'Similar work orders': count,
      'This invoice, before tax': value,
      'At median prices': usual,
      'Times the usual amount': ratio,
      'Robust z-score': z,
    }),
  ],
  [
    /^([\d.]+) miles were billed\. The truck's (positions show|odometer shows) ([\d.]+) loaded miles, of which ([\d.]+) are free: ([\d.]+) to bill\. The difference is (\$[\d,.]+)\. Positions cover (\d+ %) .+$/,
    ([billed = '', source = '', driven = '', free = '', due = '', amount = '', coverage = '']) => ({
      'Miles billed': billed,
      [source === 'odometer shows' ? 'Loaded miles by odometer' : 'Loaded miles by positions, estimated']:
        driven,
      'Miles that are free': free,
      'Miles to bill': due,
      Difference: amount,
      'Time with positions': coverage,
    }),
  ],
  [
    /^The vehicle was released after (\d+) days? of storage to charge, at (\$[\d,.]+) a day\. (\d+) of them were billed; (\d+) days? for (\$[\d,.]+) (?:is|are) missing\.$/,
    ([charged = '', rate = '', billed = '', missing = '', amount = '']) => ({
      'Days to charge': charged,
      'Rate by day': rate,
      'Days billed': billed,
      'Days missing': missing,
      'Amount missing': amount,
    }),
  ],
  [
    /^(\$[\d,.]+) before tax are billed\.(?: The customer covers ([\d.]+) loaded miles .+?: ([\d.]+) miles? for (\$[\d,.]+) (?:is|are) beyond\.)?(?: The customer covers (\$[\d,.]+) of a work order.*?\.)? Beyond the coverage are (\$[\d,.]+)\. .+$/,
    ([billed = '', miles, beyond = '', price = '', most, amount = '']) => ({
      'Billed before tax': billed,
      ...(miles && { 'Loaded miles covered': miles, 'Miles beyond': `${beyond} for ${price}` }),
      ...(most && { 'Amount covered': most }),
      'To charge to the motorist, before tax': amount,
    }),
  ],
  [
    /^The customer covers (.+); the service of this work order is (.+)\. All (\$[\d,.]+) before tax are beyond/,
    ([covered = '', service = '', amount = '']) => ({
      'Services covered': covered.replaceAll('_', ' '),
      'Service of the work order': service.replaceAll('_', ' '),
      'To charge to the motorist, before tax': amount,
    }),
  ],
  [
    /^Invoice (.+) bills (the same .+) the same total of (\$[\d,.]+), (.+)\.$/,
    ([number = '', shared = '', total = '', apart = '']) => ({
      'Earlier invoice': number,
      Bills: shared,
      'Same total': total,
      'Time between': apart,
    }),
  ],
  [
    /^(.+) denied attempt (\d) of (\d) over (\$[\d,.]+).* Answer by ([\d-]+)\.$/s,
    ([club = '', attempt = '', most = '', amount = '', day = '']) => ({
      Club: club,
      Attempt: `${attempt} of ${most}`,
      Denied: amount,
      'Answer by': day,
    }),
  ],
  [
    /^(.+) paid (\$[\d,.]+) of (\$[\d,.]+); (\$[\d,.]+) are missing\./,
    ([club = '', paid = '', claimed = '', missing = '']) => ({
      Club: club,
      Claimed: claimed,
      Paid: paid,
      Missing: missing,
    }),
  ],
  [
    /^The claim to (.+) for (\$[\d,.]+) was never sent\. .+ until ([\d-]+)\.$/,
    ([club = '', amount = '', day = '']) => ({ Club: club, Claim: amount, 'Send by': day }),
  ],
  [
    /^(.+) denied (\$[\d,.]+)\. .+ until ([\d-]+)\.$/,
    ([club = '', amount = '', day = '']) => ({ Club: club, Denied: amount, 'Answer by': day }),
  ],
];

/** Returns the numbers in a reason, for a table. */
export function readReasonNumbers(rationale: string): ReasonNumber[] {
  for (const [phrase, name] of PHRASES) {
    const match = phrase.exec(rationale);
    if (match) return Object.entries(name(match.slice(1))).map(([key, value]) => ({ name: key, value }));
  }
  return [];
}

/**
 * Rewrites the name of a group of records so that people can read it. For example, "light_duty_tow
 * jobs for motor_club accounts" becomes "light duty tow, motor club accounts".
 */
function describeGroup(group: string): string {
  const words = group
    .replace(/ jobs for /, ', ')
    .replace(/ ?jobs/, '')
    .replaceAll('_', ' ')
    .trim();
  return words === '' ? 'work orders of the same service' : words;
}

/** Formats a share: 0.83 is "83 %". */
export function formatShare(share: number): string {
  return `${Math.round(share * 100)} %`;
}

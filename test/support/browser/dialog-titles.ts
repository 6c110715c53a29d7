/** Reads the titles of the dashboard's dialogs from its sources. */
import ts from 'typescript';
import { listFiles, readSource } from '../text/source-text.js';

/** A component that shows a dialog, such as FormDialog or Mantine's Modal. */
const DIALOG = /(Dialog|Modal)$/;
const FOLDER = 'dashboard/';

/** A title in the source of a dialog. */
export interface DialogTitle {
  /** The file below dashboard/. */
  file: string;
  /** The title as it stands in the source. */
  source: string;
  /** Matches the shown title. Absent if the source has no word of the title. */
  pattern: RegExp | undefined;
}

/**
 * Lists the titles of all dialogs. Leaves out components that pass on a title which they are given,
 * because the places that give it are in the list.
 */
export function listDialogTitles(): DialogTitle[] {
  return listDashboardElements(DIALOG).flatMap(({ file, element }) => {
    const title = findTitle(element);
    if (!title || isPassedOn(title)) return [];
    return [{ file, source: title.getText(), pattern: createPattern(title) }];
  });
}

/** Lists the files below dashboard/ that show the drawer of a record. */
export function listDrawerFiles(): string[] {
  return listDashboardElements(/^RecordDrawer$/).map(({ file }) => file);
}

type Element = ts.JsxOpeningElement | ts.JsxSelfClosingElement;

/** Lists the elements in the sources of the dashboard whose tag matches. */
function listDashboardElements(tag: RegExp): { file: string; element: Element }[] {
  return listFiles(/^dashboard\/.*\.tsx$/).flatMap((path) => {
    const found: { file: string; element: Element }[] = [];
    const visit = (node: ts.Node): void => {
      const isElement = ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node);
      if (isElement && tag.test(node.tagName.getText()))
        found.push({ file: path.slice(FOLDER.length), element: node });
      node.forEachChild(visit);
    };
    const isJsx = ts.ScriptKind.TSX;
    visit(ts.createSourceFile(path, readSource(path), ts.ScriptTarget.Latest, true, isJsx));
    return found;
  });
}

function findTitle({ attributes }: Element): ts.Expression | undefined {
  const attribute = attributes.properties.find(
    (property): property is ts.JsxAttribute =>
      ts.isJsxAttribute(property) && property.name.getText() === 'title',
  );
  const value = attribute?.initializer;
  if (!value) return undefined;
  return ts.isJsxExpression(value) ? value.expression : value;
}

/** True for the member `title` of the component's own input. */
function isPassedOn(title: ts.Expression): boolean {
  const component = ts.findAncestor(title, ts.isFunctionDeclaration);
  const names = component?.parameters.flatMap(({ name }) =>
    ts.isObjectBindingPattern(name) ? name.elements.map((element) => element.name.getText()) : [],
  );
  return ts.isIdentifier(title) && (names ?? []).includes(title.text);
}

/** Makes a pattern of a text or template. Values in a template match any text. */
function createPattern(title: ts.Expression): RegExp | undefined {
  if (ts.isStringLiteral(title)) return new RegExp(`^${escapeRegExp(title.text)}$`);
  if (!ts.isTemplateExpression(title)) return undefined;
  const fixed = [title.head.text, ...title.templateSpans.map(({ literal }) => literal.text)];
  if (!/\p{L}{2}/u.test(fixed.join(''))) return undefined;
  return new RegExp(`^${fixed.map(escapeRegExp).join('.+')}$`);
}

function escapeRegExp(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&');
}

import fs from 'node:fs'
import { createRequire } from 'node:module'
const root = process.cwd()
const ts = createRequire(root + '/package.json')('typescript')
const old = new Map(); for (const l of fs.readFileSync('/tmp/all.tsv', 'utf8').split('\n')) { const [k, f, o, n] = l.trim().split('\t'); if (k === 'member') old.set(o.split('.').pop(), `${o} -> ${n}`) }
const cfg = ts.parseJsonConfigFileContent(ts.readConfigFile('tsconfig.json', ts.sys.readFile).config, ts.sys, root)
const program = ts.createProgram(cfg.fileNames, { ...cfg.options, noEmit: true }), checker = program.getTypeChecker()
for (const src of program.getSourceFiles()) {
  if (src.fileName.includes('node_modules') || !src.fileName.startsWith(root)) continue
  const walk = (n) => {
    if ((ts.isPropertyAssignment(n) || ts.isShorthandPropertyAssignment(n) || ts.isMethodDeclaration(n)) && ts.isObjectLiteralExpression(n.parent) && ts.isIdentifier(n.name) && old.has(n.name.text)) {
      const c = checker.getContextualType(n.parent)
      if (!c || !checker.getPropertyOfType(checker.getNonNullableType(c), n.name.text)) console.log(`${src.fileName.slice(root.length + 1)}:${src.getLineAndCharacterOfPosition(n.getStart(src)).line + 1}: ${n.getText(src).slice(0, 50).replace(/\n/g, ' ')}   [${old.get(n.name.text)}]`)
    }
    n.forEachChild(walk)
  }
  walk(src)
}

import { describe, expect, it } from 'vitest';
import { edgesOf, symbolsOf, treeOf } from './tree.js';

describe('TypeScript', () => {
  it('has interfaces, types, enums and exported constants beside functions, methods and classes', async () => {
    const tree = await treeOf({
      'a.ts': [
        '/** What it is. */',
        'export interface Shape { area(): number }',
        'export type Id = string;',
        'export enum Way { Up }',
        'export const LIMIT = 3;',
        'const hidden = 4;',
        'export class Round implements Shape {',
        '  private r = 1;',
        '  /** Its size. */',
        '  area(): number {',
        '    return LIMIT * this.r;',
        '  }',
        '}',
        'function twice(): void {}',
        'namespace N { export function inner() {} }',
        'const table = { entry() {}, other: () => 1 };',
        'export { twice as double };',
      ].join('\n'),
    });
    expect(symbolsOf(tree)).toEqual([
      'a.ts#Shape interface 2-2',
      'a.ts#Id type 3-3',
      'a.ts#Way enum 4-4',
      'a.ts#LIMIT constant 5-5',
      'a.ts#Round class 7-13',
      'a.ts#Round.area method 10-12',
      'a.ts#twice function 14-14',
      'a.ts#inner function 15-15',
      'a.ts#entry method 16-16',
      'a.ts#other function 16-16',
    ]);
    const byId = new Map(tree.nodes.map((node) => [node.id, node]));
    expect(byId.get('a.ts#Shape')).toMatchObject({ heading: 'What it is.', meta: { exported: true } });
    expect(byId.get('a.ts#Round.area')).toMatchObject({
      name: 'area',
      qualifiedName: 'Round.area',
      container: 'Round',
      signature: 'area(): number',
      heading: 'Its size.',
      text: 'area(): number {\n    return LIMIT * this.r;\n  }',
    });
    expect(byId.get('a.ts#twice')!.meta).toEqual({ exported: true });
    expect(byId.get('a.ts')).toMatchObject({ kind: 'file', path: 'a.ts', startLine: 1, endLine: 17 });
    expect(edgesOf(tree)).toContain('a.ts#Round implements a.ts#Shape');
    expect(edgesOf(tree)).toContain('a.ts#Round.area references a.ts#LIMIT');
  });

  it('follows imports through index files, renamings, re-exports, packages of the tree and require', async () => {
    const tree = await treeOf({
      'package.json': '{"name":"root"}',
      'lib/package.json': '{"name":"@x/lib","main":"main.js"}',
      'lib/main.js': 'exports.helper = helper;\nfunction helper() {}\n',
      'src/deep/index.ts': "export * from './one.js';\nexport { two as zwei } from './two';\n",
      'src/deep/one.ts': 'export function one() {}\nexport default class Main {}\n',
      'src/deep/two.ts': 'export const two = () => {};\n',
      'src/use.ts': [
        "import Main, * as all from './deep/one.js';",
        "import { one, zwei as z } from './deep';",
        "const { helper: h } = require('@x/lib');",
        'class Sub extends Main {}',
        'export function run() { one(); z(); h(); all.one(); new Main(); }',
      ].join('\n'),
    });
    expect(edgesOf(tree)).toEqual([
      'src/deep/index.ts imports src/deep/one.ts',
      'src/deep/index.ts imports src/deep/two.ts',
      'src/use.ts imports lib/main.js',
      'src/use.ts imports src/deep/index.ts',
      'src/use.ts imports src/deep/one.ts',
      'src/use.ts imports src/deep/two.ts',
      'src/use.ts#Sub inherits src/deep/one.ts#Main',
      'src/use.ts#run calls lib/main.js#helper',
      'src/use.ts#run calls src/deep/one.ts#Main',
      'src/use.ts#run calls src/deep/one.ts#one',
      'src/use.ts#run calls src/deep/two.ts#two',
      'src/use.ts#run references src/deep/one.ts',
    ]);
    const repeated = tree.edges.find(
      ({ from, to }) => from === 'src/use.ts#run' && to === 'src/deep/one.ts#one',
    );
    // Called twice.
    expect(repeated).toMatchObject({ weight: Math.SQRT2, provenance: 'ast_resolved', confidence: 1 });
  });

  it('knows what this is, and guesses members of others only when one symbol has the name', async () => {
    const tree = await treeOf({
      'a.ts': 'export class A { first() { this.second(); other.thirdly(); other.second(); } second() {} }\n',
      'b.ts': 'export class B { second() {} thirdly() {} }\n',
    });
    expect(edgesOf(tree)).toEqual(['a.ts#A.first calls a.ts#A.second', 'a.ts#A.first calls? b.ts#B.thirdly']);
    expect(tree.report.calls).toEqual({ resolved: 1, inferred: 1, unresolved: 1 });
  });
});

describe('Python', () => {
  it('has classes, methods, functions and constants, with docstrings, and resolves packages', async () => {
    const tree = await treeOf({
      'pk/__init__.py': 'from .core import Base\n',
      'pk/core.py': [
        'LIMIT = 3',
        'class Base:',
        '    """A base."""',
        '    def run(self, x):',
        '        return self.step(x)',
        '    def step(self, x): return helper(x)',
        '# Helps.',
        'def helper(x): pass',
      ].join('\n'),
      'use.py': [
        'from pk import Base',
        'import pk.core as core',
        'class Sub(Base):',
        '    @property',
        '    def y(self): return core.helper(core.LIMIT)',
        'def _go():',
        '    return Sub().run(1)',
      ].join('\n'),
    });
    expect(symbolsOf(tree)).toEqual([
      'pk/core.py#LIMIT constant 1-1',
      'pk/core.py#Base class 2-6',
      'pk/core.py#Base.run method 4-5',
      'pk/core.py#Base.step method 6-6',
      'pk/core.py#helper function 8-8',
      'use.py#Sub class 3-5',
      'use.py#Sub.y method 4-5',
      'use.py#_go function 6-7',
    ]);
    const byId = new Map(tree.nodes.map((node) => [node.id, node]));
    expect(byId.get('pk/core.py#Base')).toMatchObject({ signature: 'class Base:', heading: 'A base.' });
    expect(byId.get('pk/core.py#helper')!.heading).toBe('Helps.');
    expect(byId.get('use.py#_go')!.meta).toEqual({ exported: false });
    expect(edgesOf(tree)).toEqual([
      'pk/__init__.py imports pk/core.py',
      'pk/core.py#Base.run calls pk/core.py#Base.step',
      'pk/core.py#Base.step calls pk/core.py#helper',
      'use.py imports pk/__init__.py',
      'use.py imports pk/core.py',
      'use.py#Sub inherits pk/core.py#Base',
      'use.py#Sub.y calls pk/core.py#helper',
      'use.py#Sub.y references pk/core.py',
      'use.py#Sub.y references pk/core.py#LIMIT',
      'use.py#_go calls use.py#Sub',
    ]);
  });
});

describe('Go', () => {
  it('names methods by their receivers and sees the whole package', async () => {
    const tree = await treeOf({
      'go.mod': 'module ex.com/m\n',
      'q/a.go': [
        'package q',
        '// S is a thing.',
        'type S struct { N int }',
        'type I interface { M(int) }',
        'func (s *S) M(a int) { s.k(); F() }',
        'func (s *S) k() {}',
        'const Max = 3',
      ].join('\n'),
      'q/b.go': 'package q\nfunc F() int { return Max }\n',
      'main.go': 'package main\nimport z "ex.com/m/q"\nfunc main() { z.F() }\n',
    });
    expect(symbolsOf(tree)).toEqual([
      'main.go#main function 3-3',
      'q/a.go#S class 3-3',
      'q/a.go#I interface 4-4',
      'q/a.go#S.M method 5-5',
      'q/a.go#S.k method 6-6',
      'q/a.go#Max constant 7-7',
      'q/b.go#F function 2-2',
    ]);
    expect(tree.nodes.find(({ id }) => id === 'q/a.go#S')).toMatchObject({
      signature: 'type S struct',
      heading: 'S is a thing.',
      meta: { exported: true },
    });
    expect(edgesOf(tree)).toEqual(
      expect.arrayContaining([
        'main.go imports q/a.go',
        'main.go imports q/b.go',
        'main.go#main calls q/b.go#F',
        'q/a.go#S.M calls q/b.go#F',
        'q/b.go#F references q/a.go#Max',
      ]),
    );
  });
});

describe('Java', () => {
  it('resolves imports by package and class, and sees its own package', async () => {
    const tree = await treeOf({
      'a/b/A.java': [
        'package a.b;',
        'import a.c.D;',
        '/** An A. */',
        'public class A extends D implements Runnable {',
        '  public static final int K = 1;',
        '  public void run() { help(1); new D(); }',
        '  private void help(int a) { Z.zed(); }',
        '}',
      ].join('\n'),
      'a/b/Z.java': 'package a.b;\nclass Z { static void zed() {} }\n',
      'a/c/D.java': 'package a.c;\npublic class D { public void go() {} }\n',
    });
    expect(symbolsOf(tree)).toEqual([
      'a/b/A.java#A class 4-8',
      'a/b/A.java#A.K constant 5-5',
      'a/b/A.java#A.run method 6-6',
      'a/b/A.java#A.help method 7-7',
      'a/b/Z.java#Z class 2-2',
      'a/b/Z.java#Z.zed method 2-2',
      'a/c/D.java#D class 2-2',
      'a/c/D.java#D.go method 2-2',
    ]);
    expect(edgesOf(tree)).toEqual([
      'a/b/A.java imports a/c/D.java',
      'a/b/A.java#A inherits a/c/D.java#D',
      'a/b/A.java#A.help calls a/b/Z.java#Z.zed',
      'a/b/A.java#A.help references a/b/Z.java#Z',
      'a/b/A.java#A.run calls a/b/A.java#A.help',
      'a/b/A.java#A.run calls a/c/D.java#D',
    ]);
  });
});

describe('Rust', () => {
  it('puts methods under their types and follows modules and uses', async () => {
    const tree = await treeOf({
      'src/lib.rs': [
        'mod m;',
        'use crate::m::deep::{Thing, make as build};',
        '/// Runs.',
        'pub fn run() { build(); Thing::new(); }',
        'pub trait T { fn work(&self); }',
        'impl T for Thing { fn work(&self) { self.own(); } }',
      ].join('\n'),
      'src/m/mod.rs': 'pub mod deep;\n',
      'src/m/deep.rs':
        'pub struct Thing { a: i32 }\nimpl Thing { pub fn new() -> Self { make() } fn own(&self) {} }\npub fn make() -> Thing { Thing { a: 1 } }\n',
    });
    expect(symbolsOf(tree)).toEqual([
      'src/lib.rs#run function 4-4',
      'src/lib.rs#T interface 5-5',
      'src/lib.rs#T.work method 5-5',
      'src/lib.rs#Thing.work method 6-6',
      'src/m/deep.rs#Thing class 1-1',
      'src/m/deep.rs#Thing.new method 2-2',
      'src/m/deep.rs#Thing.own method 2-2',
      'src/m/deep.rs#make function 3-3',
    ]);
    expect(edgesOf(tree)).toEqual(
      expect.arrayContaining([
        'src/lib.rs imports src/m/mod.rs',
        'src/lib.rs imports src/m/deep.rs',
        'src/lib.rs#run calls src/m/deep.rs#make',
        'src/lib.rs#run calls src/m/deep.rs#Thing.new',
        'src/m/deep.rs#Thing.new calls src/m/deep.rs#make',
      ]),
    );
  });
});

describe('other languages', () => {
  it.each([
    [
      'x.c',
      'struct P { int a; };\nstatic int *f(int a) { return g(a); }\nint g(int a) { return a; }\n',
      ['P', 'f', 'g'],
    ],
    ['x.cpp', 'class C { public: void m() {} };\nvoid C::n() {}\n', ['C', 'C.m', 'C.n']],
    ['x.cs', 'namespace N { class C { void M() {} int P { get; } } }\n', ['C', 'C.M']],
    ['x.php', '<?php class A { function m() {} }\nfunction helper() {}\n', ['A', 'A.m', 'helper']],
    ['x.rb', 'class Foo\n  def bar\n  end\nend\ndef baz; end\n', ['Foo', 'Foo.bar', 'baz']],
    ['x.sh', 'f() { echo hi; }\nfunction g { f; }\n', ['f', 'g']],
    ['x.ps1', 'function Get-It { 1 }\nclass A { [int] M() { 1 } }\n', ['Get-It', 'A', 'A.M']],
  ])('have their definitions: %s', async (path, text, names) => {
    const tree = await treeOf({ [path]: text });
    expect(tree.nodes.slice(1).map(({ qualifiedName }) => qualifiedName)).toEqual(names);
    expect(tree.report).toMatchObject({ asText: 0, notParsed: 0 });
  });

  it('call what they define', async () => {
    const tree = await treeOf({ 'x.c': 'int g(int a) { return a; }\nint f(int a) { return g(a); }\n' });
    expect(edgesOf(tree)).toEqual(['x.c#f calls x.c#g']);
  });

  it('are text when nobody knows them', async () => {
    const { nodes, report } = await treeOf({ 'notes.md': '# Notes\n', 'a.js': 'function a() {}\n' });
    expect(nodes.map(({ id }) => id)).toEqual(['a.js', 'a.js#a', 'notes.md']);
    expect(nodes[2]).toMatchObject({ kind: 'file', text: '# Notes\n' });
    expect(report).toMatchObject({ files: 2, symbols: 1, asText: 1 });
  });
});

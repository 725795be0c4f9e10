//! Finds which source files use which others. Re-exports are followed to the file that defines the item.
//!
//! A `mod` declaration does not count as a use. A re-export counts only if the same file also uses the re-exported
//! name. Code under `#[cfg(test)]` is ignored.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

/// The segments of a Rust path, from the crate's root: `["service", "Request"]`.
type Names = Vec<String>;

/// One source file.
pub struct File {
    /// The path below `src/`: `service/board/play.rs`.
    pub path: PathBuf,
    /// The module: `["service", "board", "play"]`; empty for `lib.rs`.
    pub module: Names,
    /// The names that the file defines at its top level.
    defines: BTreeSet<String>,
    /// Re-exported names, with the paths that they represent.
    reexports: Vec<(String, Names)>,
    /// Modules of which the file re-exports everything.
    globs: Vec<Names>,
    /// Every path to an item of this crate in the file, except in re-exports.
    uses: BTreeSet<Names>,
}

/// All source files of the crate.
pub struct Sources {
    pub files: Vec<File>,
    by_module: BTreeMap<Names, usize>,
}

impl Sources {
    pub fn read(src: &Path) -> Sources {
        let mut files: Vec<File> = rust_files(src).iter().map(|path| File::read(src, path)).collect();
        files.retain(|file| file.path != Path::new("main.rs"));
        let by_module = files.iter().enumerate().map(|(i, file)| (file.module.clone(), i)).collect();
        Sources { files, by_module }
    }

    /// Returns the files that a file uses, with the used names of each.
    pub fn used_by(&self, file: usize) -> BTreeMap<usize, BTreeSet<String>> {
        let mut used: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
        for names in &self.files[file].uses {
            if let Some(other) = self.definer(names, 0).filter(|other| *other != file) {
                used.entry(other).or_default().insert(names.join("::"));
            }
        }
        used
    }

    /// Returns the file that defines the item with this path. The path of a module leads to the module's file.
    fn definer(&self, names: &[String], depth: usize) -> Option<usize> {
        assert!(depth < 16, "{} is re-exported in a cycle", names.join("::"));
        let length = (0..=names.len()).rev().find(|length| self.by_module.contains_key(&names[..*length]))?;
        let file = self.by_module[&names[..length]];
        let Some(name) = names.get(length) else { return Some(file) };
        let found = &self.files[file];
        if found.defines.contains(name) {
            return Some(file);
        }
        let rest = &names[length + 1..];
        for (exported, target) in &found.reexports {
            if exported == name {
                return self.definer(&[target.as_slice(), rest].concat(), depth + 1);
            }
        }
        let through = |glob: &Names| self.definer(&[glob.as_slice(), &names[length..]].concat(), depth + 1);
        found.globs.iter().filter(|glob| self.by_module.contains_key(*glob)).find_map(through)
    }

    /// Returns the cycles: groups of files that use each other, directly or indirectly.
    pub fn cycles(&self) -> Vec<Vec<usize>> {
        let uses: Vec<Vec<usize>> = (0..self.files.len()).map(|i| self.used_by(i).into_keys().collect()).collect();
        let reaches = |from: usize| {
            let (mut seen, mut next) = (BTreeSet::new(), uses[from].clone());
            while let Some(file) = next.pop() {
                if seen.insert(file) {
                    next.extend(&uses[file]);
                }
            }
            seen
        };
        let reached: Vec<BTreeSet<usize>> = (0..self.files.len()).map(reaches).collect();
        let mut cycles: BTreeSet<Vec<usize>> = BTreeSet::new();
        for (i, seen) in reached.iter().enumerate() {
            if seen.contains(&i) {
                cycles.insert(seen.iter().copied().filter(|other| reached[*other].contains(&i)).collect());
            }
        }
        cycles.into_iter().collect()
    }
}

/// Returns every Rust file below a directory, in order.
pub fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .into_iter()
        .flat_map(|path| match path.extension() {
            _ if path.is_dir() => rust_files(&path),
            Some(extension) if extension == "rs" => vec![path],
            _ => Vec::new(),
        })
        .collect()
}

impl File {
    fn read(src: &Path, path: &Path) -> File {
        let below = path.strip_prefix(src).unwrap();
        let mut module: Names = below.with_extension("").iter().map(|name| name.to_str().unwrap().to_owned()).collect();
        if module.last().is_some_and(|last| last == "mod" || last == "lib") {
            module.pop();
        }
        let file = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
        let mut reader = Reader { module: module.clone(), ..Reader::default() };
        reader.top_level(&file.items);
        for item in &file.items {
            reader.visit_item(item);
        }
        let Reader { defines, reexports, globs, mut uses, firsts, .. } = reader;
        uses.extend(reexports.iter().filter(|(name, _)| firsts.contains(name)).map(|(_, target)| target.clone()));
        File { path: below.to_owned(), module, defines, reexports, globs, uses }
    }
}

/// Collects the definitions, re-exports and uses of a file.
#[derive(Default)]
struct Reader {
    module: Names,
    defines: BTreeSet<String>,
    reexports: Vec<(String, Names)>,
    globs: Vec<Names>,
    uses: BTreeSet<Names>,
    /// The first segment of each path in the file. If a re-exported name is among them, the file also uses that name.
    firsts: BTreeSet<String>,
}

pub fn for_tests_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.meta.require_list().is_ok_and(|list| list.tokens.to_string().contains("test"))
    })
}

impl Reader {
    fn top_level(&mut self, items: &[Item]) {
        for item in items {
            let name = match item {
                Item::Const(item) => item.ident.to_string(),
                Item::Enum(item) => item.ident.to_string(),
                Item::Fn(item) => item.sig.ident.to_string(),
                Item::Static(item) => item.ident.to_string(),
                Item::Struct(item) => item.ident.to_string(),
                Item::Trait(item) => item.ident.to_string(),
                Item::Type(item) => item.ident.to_string(),
                _ => continue,
            };
            self.defines.insert(name);
        }
    }

    /// Resolves a path that starts with `crate`, `self` or `super`. Returns `None` for any other path.
    fn absolute(&self, names: &[String]) -> Option<Names> {
        let parent = || self.module[..self.module.len().saturating_sub(1)].to_vec();
        match names.first()?.as_str() {
            "crate" => Some(names[1..].to_vec()),
            "self" => Some([self.module.as_slice(), &names[1..]].concat()),
            "super" => {
                let ups = names.iter().take_while(|name| *name == "super").count();
                let base = (1..ups).fold(parent(), |mut base, _| {
                    base.pop();
                    base
                });
                Some([base.as_slice(), &names[ups..]].concat())
            }
            _ => None,
        }
    }

    fn use_tree(&mut self, tree: &UseTree, before: &[String], exported: bool) {
        let with = |name: String| [before, &[name]].concat();
        let (names, name) = match tree {
            UseTree::Path(path) => return self.use_tree(&path.tree, &with(path.ident.to_string()), exported),
            UseTree::Group(group) => {
                return group.items.iter().for_each(|tree| self.use_tree(tree, before, exported));
            }
            UseTree::Glob(_) => {
                let names = self.absolute(before).or_else(|| exported.then(|| self.child(before)));
                return match names {
                    Some(names) if exported => self.globs.push(names),
                    Some(names) => drop(self.uses.insert(names)),
                    None => {}
                };
            }
            UseTree::Name(name) if name.ident == "self" => {
                (before.to_vec(), before.last().cloned().unwrap_or_default())
            }
            UseTree::Name(name) => (with(name.ident.to_string()), name.ident.to_string()),
            UseTree::Rename(rename) => (with(rename.ident.to_string()), rename.rename.to_string()),
        };
        let Some(names) = self.absolute(&names).or_else(|| exported.then(|| self.child(&names))) else {
            // `use board::look;` in a file that declares `mod board`.
            self.uses.insert(self.child(&names));
            return;
        };
        if exported {
            self.reexports.push((name, names));
        } else {
            self.uses.insert(names);
        }
    }

    /// Converts a path that starts with a child module.
    fn child(&self, names: &[String]) -> Names {
        [self.module.as_slice(), names].concat()
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        let attributes: &[syn::Attribute] = match item {
            Item::Mod(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &[],
        };
        if !for_tests_only(attributes) {
            syn::visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.use_tree(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names: Names = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        self.firsts.extend(names.first().cloned());
        match self.absolute(&names) {
            // A `self` without further segments is a method's receiver.
            Some(absolute) if names.len() > 1 => drop(self.uses.insert(absolute)),
            None if names.len() > 1 => drop(self.uses.insert(self.child(&names))),
            _ => {}
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_macro(&mut self, item: &'ast syn::Macro) {
        let tokens = item.tokens.to_string();
        for (at, word) in tokens.match_indices("crate ::") {
            let names = tokens[at + word.len()..].split("::").map(str::trim);
            let mut absolute = Names::new();
            for name in names {
                let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
                absolute.push(name[..end].to_owned());
                if end < name.len() {
                    break;
                }
            }
            self.uses.insert(absolute);
        }
        syn::visit::visit_macro(self, item);
    }
}

#include "guard.h"

#if !defined GZ_STATIC && (defined __x86_64__ || defined __aarch64__)

#define _GNU_SOURCE
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "shim.h"

/* A loaded ELF image: a program or a shared library. */
typedef struct {
  uintptr_t inside;             /* an address in it, by which it is found */
  uintptr_t base, begin, end;   /* what its addresses are relative to; its extent */
  uintptr_t relro, relro_end;   /* the pages that are read-only once it is relocated */
  uintptr_t dynamic;            /* its dynamic section, or 0 */
  uintptr_t symbols, strings;   /* from there: DT_SYMTAB, DT_STRTAB */
  uintptr_t tables[2];          /* the tables of relocations: DT_JMPREL, DT_RELA */
  size_t sizes[2];              /* their sizes in bytes: DT_PLTRELSZ, DT_RELASZ */
  int sealed;                   /* one of the imports is in a page that is read-only */
  gz_import *imports;           /* those to redirect */
  int count;
} image;

static int is_inside(const image *m, uintptr_t address) { return address >= m->begin && address < m->end; }

/* For dl_iterate_phdr: returns 1 if this is the image. */
static int find_image(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  image *m = data;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  *m = (image){.inside = m->inside, .imports = m->imports, .count = m->count, .base = info->dlpi_addr, .begin = UINTPTR_MAX};
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    uintptr_t begin = m->base + part->p_vaddr, end = begin + part->p_memsz;
    if (part->p_type == PT_DYNAMIC) m->dynamic = begin;
    if (part->p_type == PT_GNU_RELRO) {
      m->relro = begin & -page; /* loaders round both ends down */
      m->relro_end = end & -page;
    }
    if (part->p_type == PT_LOAD) {
      if (begin < m->begin) m->begin = begin;
      if (end > m->end) m->end = end;
    }
  }
  return is_inside(m, m->inside);
}

static void read_dynamic(image *m) {
  for (const ElfW(Dyn) *d = (const ElfW(Dyn) *)m->dynamic; d && d->d_tag != DT_NULL; d++) {
    uintptr_t address = d->d_un.d_ptr;
    if (address < m->base) address += m->base; /* glibc has added it, musl has not */
    switch (d->d_tag) {
      case DT_SYMTAB: m->symbols = address; break;
      case DT_STRTAB: m->strings = address; break;
      case DT_JMPREL: m->tables[0] = address; break;
      case DT_RELA: m->tables[1] = address; break;
      case DT_PLTRELSZ: m->sizes[0] = d->d_un.d_val; break;
      case DT_RELASZ: m->sizes[1] = d->d_un.d_val; break;
    }
  }
}

static gz_import *import_of(const image *m, const ElfW(Rela) *r) {
#ifdef __x86_64__
  enum { JUMP_SLOT = R_X86_64_JUMP_SLOT, GLOB_DAT = R_X86_64_GLOB_DAT };
#else
  enum { JUMP_SLOT = R_AARCH64_JUMP_SLOT, GLOB_DAT = R_AARCH64_GLOB_DAT };
#endif
  if (ELF64_R_TYPE(r->r_info) != JUMP_SLOT && ELF64_R_TYPE(r->r_info) != GLOB_DAT) return NULL;
  const ElfW(Sym) *symbol = (const ElfW(Sym) *)m->symbols + ELF64_R_SYM(r->r_info);
  const char *name = (const char *)m->strings + symbol->st_name;
  for (int i = 0; i < m->count; i++)
    if (strcmp(name, m->imports[i].name) == 0) return &m->imports[i];
  return NULL;
}

/* Goes through the slots of the imports: notes what they are, or sets them to ours. A
 * function can have two slots, one for calls and one for its address. */
static void each_slot(image *m, int set) {
  for (int t = 0; t < 2; t++) {
    const ElfW(Rela) *table = (const ElfW(Rela) *)m->tables[t];
    for (size_t i = 0; table && i < m->sizes[t] / sizeof *table; i++) {
      gz_import *it = import_of(m, &table[i]);
      if (!it) continue;
      uintptr_t address = m->base + table[i].r_offset;
      void **slot = (void **)address;
      if (set) {
        __atomic_store_n(slot, it->ours, __ATOMIC_RELEASE);
        continue;
      }
      it->found = 1;
      m->sealed |= address >= m->relro && address < m->relro_end;
      /* An import that is resolved at its first call leads to code in the image itself. */
      if (!is_inside(m, (uintptr_t)*slot)) memcpy(it->next, slot, sizeof *slot);
    }
  }
}

int gz_redirect(gz_import *imports, int count) {
  /* A text of libzmq finds its image. The address of zmq_version may be that of a stub in a
   * program that is linked with libzmq. */
  image m = {.inside = (uintptr_t)gz.strerror(GZ_ETERM), .imports = imports, .count = count};
  if (!dl_iterate_phdr(find_image, &m)) return 0;
  /* libzmq.a is part of this program: the imports are those of other code as well. */
  if (is_inside(&m, (uintptr_t)imports)) return 0;
  read_dynamic(&m);
  if (!m.symbols || !m.strings) return 0;
  each_slot(&m, 0);
  for (int i = 0; i < count; i++)
    if (!imports[i].found) return 0;
  void *pages = (void *)m.relro;
  if (m.sealed && mprotect(pages, m.relro_end - m.relro, PROT_READ | PROT_WRITE) < 0) return 0;
  each_slot(&m, 1);
  if (m.sealed) mprotect(pages, m.relro_end - m.relro, PROT_READ);
  return 1;
}

#else

/* libzmq.a is part of the program, or the format of the image is not known here. */
int gz_redirect(gz_import *imports, int count) {
  (void)imports;
  (void)count;
  return 0;
}

#endif

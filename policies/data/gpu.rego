# Which GPUs may be used, and how each cloud, scheduler and claim names them. Machine types and accelerators are
# recognized by their form, so one that is on no list is refused and not overlooked. All names are in lower case.
package crossgate.lists.gpu

import rego.v1

# The types that a claim may name.
allowed := {"t4", "v100", "a100"}

# What the allowed types are called elsewhere: accelerators, products, labels of devices.
names := {
	"t4": "t4",
	"t4-vws": "t4",
	"tesla-t4": "t4",
	"nvidia-t4": "t4",
	"nvidia-tesla-t4": "t4",
	"nvidia-tesla-t4-vws": "t4",
	"v100": "v100",
	"tesla-v100": "v100",
	"tesla-v100-pcie-16gb": "v100",
	"tesla-v100-sxm2-16gb": "v100",
	"tesla-v100-sxm2-32gb": "v100",
	"nvidia-v100": "v100",
	"nvidia-tesla-v100": "v100",
	"a100": "a100",
	"a100-80gb": "a100",
	"a100-sxm4-40gb": "a100",
	"tesla-a100": "a100",
	"nvidia-a100": "a100",
	"nvidia-a100-80gb": "a100",
	"nvidia-a100-80gb-pcie": "a100",
	"nvidia-a100-pcie-40gb": "a100",
	"nvidia-a100-sxm4-40gb": "a100",
	"nvidia-a100-sxm4-80gb": "a100",
	"nvidia-tesla-a100": "a100",
}

# Machine types that come with an accelerator, by their form in AWS, GCP (two lines) and Azure.
machine_forms := concat("|", [
	`(?:p|g|trn|inf|dl)[0-9][a-z0-9-]*\.(?:[0-9]*x?large|metal[a-z0-9-]*|medium|small)`,
	`(?:a[2-9]x?|g[2-9])-(?:highgpu|megagpu|ultragpu|edgegpu|maxgpu|standard)-[0-9]+[a-z]*`,
	`ct[0-9][a-z0-9]*-[a-z0-9-]+|tpu[0-9][a-z0-9]*-[a-z]+-[0-9]+t`,
	`standard_n[cdvgp][0-9][a-z0-9_]*`,
])

machine_form := concat("", ["^(", machine_forms, ")$"])

# Those of the allowed types.
machine_types := {
	`^p3(dn)?\.`: "v100",
	`^g4dn\.`: "t4",
	`^p4de?\.`: "a100",
	`^a2-(highgpu|megagpu|ultragpu)-`: "a100",
	`^standard_nc(6|12|24)r?s_v3$`: "v100",
	`^standard_nd40rs_v2$`: "v100",
	`^standard_nc(4|8|16|64)as_t4_v3$`: "t4",
	`^standard_(nd96a[a-z]*_a100_v4|nd96asr_v4|nc(24|48|96)ads_a100_v4)$`: "a100",
}

# Fields and labels that name a type.
type_label := `(?i)(gpu[._-]?(type|model|product|name|family)|gke-accelerator|^accelerator[_-]?(type|name))$`

# The same in a text (lower case), with the value; selectors by such a label; lists of accelerators.
type_in_text := `(?:gpu[._-]?(?:type|model|product|name|family)|gke-accelerator|accelerator[_-]?(?:type|name))["\\]*\s*[:=]\s*["\\]*([^"\\,\n{}\[\]#]*)`

selector_in_text := `"key":\s*"[^"]*(?:gpu[._-]?(?:type|model|product|name|family)|accelerator)`

accelerators_in_text := `"(?:guest_?)?accelerators?"\s*:\s*[\[{][^\]]*`

# What a model is called wherever it stands.
model_form := `^(nvidia|amd|tesla|geforce|quadro|radeon|instinct)[ -]((tesla|geforce|quadro|radeon|instinct|rtx|pro)[ -])*([a-z]{1,3}-?)?[0-9]{1,4}[a-z]{0,2}([ -][a-z0-9]+)*$`

model_in_text := `(?:nvidia|amd|tesla|geforce|quadro|radeon|instinct)[ -][a-z0-9 -]*[0-9][a-z0-9-]*`

# Resource names of accelerators, and those that may be asked for.
resource_vendors := [
	"nvidia.com/",
	"amd.com/",
	"gpu.intel.com/",
	"habana.ai/",
	"aws.amazon.com/neuron",
	"google.com/tpu",
	"cloud-tpus.google.com/",
	"qualcomm.com/",
	"huawei.com/ascend",
	"cambricon.com/",
	"furiosa.ai/",
	"rebellions.ai/",
	"tenstorrent.com/",
	"aliyun.com/gpu",
	"volcano.sh/vgpu",
	"elasticgpu.io/",
	"iluvatar.ai/",
	"mthreads.com/",
	"metax-tech.com/",
]

resource_form := concat("|", [replace(vendor, ".", `\.`) | some vendor in resource_vendors])

resource_in_text := concat("", [`((?:`, resource_form, `)[a-z0-9.-]*)["\\]*\s*:\s*["\\]*[0-9]`])

resources := {
	"nvidia.com/gpu",
	"nvidia.com/gpu.shared",
	"nvidia.com/mig-1g.5gb",
	"nvidia.com/mig-2g.10gb",
	"nvidia.com/mig-3g.20gb",
	"nvidia.com/mig-7g.40gb",
}
